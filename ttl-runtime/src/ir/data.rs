//! Plain data: structs, tuples, enums and arrays, as types of the IR.
//!
//! An enum without fields is a [`EnumTy`]. One with fields is a [`StructTy`] whose first field says which variant it is, followed by the fields
//! of all variants; what a variant does not have is zero. So all that is printed are structs, arrays and enums of integers.

use super::{Expr, ExprKind, Ty};
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructTy {
    /// The Rust name; of a tuple `(u32, f32)`.
    pub name: String,
    /// Generic arguments for the reader of the C++.
    pub generics: Vec<String>,
    pub fields: Vec<Field>,
    pub form: Form,
    /// `==` compares field by field, for certain.
    pub comparable: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// In C++ too; of the second field of a tuple `1` in Rust.
    pub name: String,
    pub ty: Ty,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    Struct,
    Tuple,
    /// Field 0 is the variant, the others are the fields of the variants.
    Enum(Vec<Variant>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variant {
    pub name: String,
    /// The name of each of its fields, and which field of the struct it is.
    pub fields: Vec<(String, u32)>,
}

/// An enum without fields: an integer in C++.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EnumTy {
    pub name: String,
    pub generics: Vec<String>,
    /// Names and values.
    pub variants: Vec<(String, i64)>,
    pub comparable: bool,
}

/// A variant as the macro describes it: its name, its value if it has no fields, and its fields with their types.
#[derive(Clone, Debug)]
pub struct VariantDecl {
    pub name: &'static str,
    pub value: Option<i64>,
    pub fields: Vec<(&'static str, Ty)>,
}

impl Ty {
    pub fn structure(
        name: &'static str,
        generics: Vec<String>,
        fields: Vec<(&'static str, Ty)>,
        comparable: bool,
    ) -> Ty {
        let fields = fields.into_iter().map(|(name, ty)| Field { name: name.to_string(), ty }).collect();
        let name = name.to_string();
        Ty::Struct(Arc::new(StructTy { name, generics, fields, form: Form::Struct, comparable }))
    }

    pub fn tuple(types: Vec<Ty>) -> Ty {
        let names: Vec<String> = types.iter().map(Ty::to_string).collect();
        let fields = types.into_iter().enumerate().map(|(i, ty)| Field { name: i.to_string(), ty }).collect();
        let name = format!("({})", names.join(", "));
        Ty::Struct(Arc::new(StructTy { name, generics: vec![], fields, form: Form::Tuple, comparable: true }))
    }

    pub fn array(of: Ty, len: usize) -> Ty {
        Ty::Array(Box::new(of), len as u32)
    }

    pub fn enumeration(name: &'static str, generics: Vec<String>, variants: Vec<VariantDecl>, comparable: bool) -> Ty {
        let plain = variants.iter().all(|v| v.fields.is_empty());
        let kind = EnumTy {
            name: if plain { name.to_string() } else { format!("{name}Kind") },
            generics: generics.clone(),
            variants: variants
                .iter()
                .zip(0i64..)
                .map(|(v, number)| (v.name.to_string(), v.value.unwrap_or(number)))
                .collect(),
            comparable,
        };
        let kind = Ty::Enum(Arc::new(kind));
        if plain {
            return kind;
        }
        let mut fields = vec![Field { name: "kind".to_string(), ty: kind }];
        let mut forms = vec![];
        for v in variants {
            let mut own = vec![];
            for (name, ty) in v.fields {
                own.push((name.to_string(), fields.len() as u32));
                let (variant, name) = (snake(v.name), name.trim_start_matches("r#"));
                fields.push(Field { name: format!("{variant}_{name}"), ty });
            }
            forms.push(Variant { name: v.name.to_string(), fields: own });
        }
        let name = name.to_string();
        Ty::Struct(Arc::new(StructTy { name, generics, fields, form: Form::Enum(forms), comparable }))
    }

    /// Values that are copied: scalars, structs, tuples, arrays and enums of them.
    pub fn is_data(&self) -> bool {
        self.is_scalar() || matches!(self, Ty::Usize | Ty::Struct(_) | Ty::Array(..) | Ty::Enum(_))
    }

    /// Argument words of a value of plain data; none if it cannot be an argument.
    pub fn words(&self) -> Option<u32> {
        match self {
            Ty::Struct(s) => s.fields.iter().map(|f| f.ty.words()).sum(),
            Ty::Array(of, len) => Some(of.words()? * len),
            Ty::Enum(_) => Some(1),
            other => other.is_scalar().then_some(1),
        }
    }
}

/// `RowMajor` becomes `row_major`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

impl Expr {
    /// A field; of a struct that is built here the value itself.
    pub fn field(base: Expr, at: u32) -> Expr {
        let ty = match &base.ty {
            Ty::Struct(s) => s.fields.get(at as usize).map_or(Ty::Never, |f| f.ty.clone()),
            _ => Ty::Never,
        };
        match base.kind {
            ExprKind::Struct(mut values) if (at as usize) < values.len() => values.swap_remove(at as usize),
            kind => Expr { ty, kind: ExprKind::Field(Box::new(Expr { ty: base.ty, kind }), at) },
        }
    }

    /// An element of an array.
    pub fn index(base: Expr, at: Expr) -> Expr {
        let ty = match &base.ty {
            Ty::Array(of, _) => (**of).clone(),
            _ => Ty::Never,
        };
        Expr { ty, kind: ExprKind::Index(Box::new(base), Box::new(at)) }
    }

    /// The value of a type that is zero everywhere: what the fields of other variants are.
    pub fn zero(ty: &Ty) -> Expr {
        let kind = match ty {
            Ty::Bool => ExprKind::Bool(false),
            Ty::F32 => ExprKind::F32(0.0),
            Ty::Struct(s) => ExprKind::Struct(s.fields.iter().map(|f| Expr::zero(&f.ty)).collect()),
            Ty::Array(of, _) => ExprKind::Repeat(Box::new(Expr::zero(of))),
            Ty::Enum(_) => ExprKind::Variant(0),
            _ => ExprKind::Int(0),
        };
        Expr { ty: ty.clone(), kind }
    }

    /// The local in which a place is.
    pub fn root(&self) -> Option<super::LocalId> {
        match &self.kind {
            ExprKind::Local(l) => Some(*l),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => base.root(),
            _ => None,
        }
    }

    pub fn is_place(&self) -> bool {
        self.root().is_some()
    }

    /// Whether it is known where the kernel is written.
    pub fn is_constant(&self) -> bool {
        match &self.kind {
            ExprKind::Int(_) | ExprKind::F32(_) | ExprKind::Bool(_) | ExprKind::Variant(_) => true,
            ExprKind::Struct(values) | ExprKind::Array(values) => values.iter().all(Expr::is_constant),
            ExprKind::Repeat(value) => value.is_constant(),
            _ => false,
        }
    }
}
