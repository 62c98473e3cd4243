//! Structs, tuples, enums and arrays of the kernel: their definitions above the functions, and their values.
//!
//! Structs are plain structs, arrays are `std::array` (so that they are copied as in Rust), enums without fields are `enum class`. Only what
//! the kernel uses is defined, in the order of first use, each after what it consists of.

use super::expr::fold;
use super::function::Printer;
use super::names::Scopes;
use super::piece::{Piece, int_type, scalar_type};
use crate::ir::data::{Form, StructTy};
use crate::ir::{BinOp, Expr, ExprKind, Fn, FnId, Module, StmtKind, Ty, visit};
use std::collections::HashMap;

/// Elements of an array with one value for all that are written out; more are filled in.
const WRITTEN_OUT: u32 = 8;

/// The C++ names of the kernel's own types.
#[derive(Debug, Default)]
pub(super) struct Types {
    names: HashMap<Ty, String>,
    /// Of the variants of an enum, by position.
    variants: HashMap<Ty, Vec<String>>,
    /// Of the fields of a struct, by position.
    fields: HashMap<Ty, Vec<String>>,
    pub(super) definitions: String,
    pub(super) arrays: bool,
}

impl Types {
    pub(super) fn of(module: &Module, functions: &[FnId], scopes: &mut Scopes) -> Types {
        let mut types = Types::default();
        for id in functions {
            types.function(module.function(*id), scopes);
        }
        types
    }

    fn function(&mut self, f: &Fn, scopes: &mut Scopes) {
        for local in &f.params {
            self.add(f.local(*local).ty.peeled(), scopes);
        }
        self.add(&f.ret, scopes);
        visit::each_stmt(&f.body, &mut |stmt| {
            if let StmtKind::Let { local, .. } = &stmt.kind {
                self.add(f.local(*local).ty.peeled(), scopes);
            }
            visit::stmt_exprs(stmt, &mut |e| visit::each_expr(e, &mut |e| self.add(e.ty.peeled(), scopes)));
        });
    }

    fn add(&mut self, ty: &Ty, scopes: &mut Scopes) {
        if self.names.contains_key(ty) {
            return;
        }
        match ty {
            Ty::Array(of, len) => {
                self.arrays = true;
                self.add(of, scopes);
                let name = format!("std::array<{}, {len}>", self.name(of));
                self.names.insert(ty.clone(), name);
            }
            Ty::Struct(s) => {
                s.fields.iter().for_each(|f| self.add(&f.ty, scopes));
                let name = scopes.declare(&full_name(s));
                let mut inside = Scopes::default();
                inside.enter();
                let fields: Vec<String> = s
                    .fields
                    .iter()
                    .map(|f| match s.form {
                        // Also of structs whose fields have no names.
                        _ if f.name.starts_with(|c: char| c.is_ascii_digit()) => format!("_{}", f.name),
                        _ => inside.declare(&f.name),
                    })
                    .collect();
                let body: String = s
                    .fields
                    .iter()
                    .zip(&fields)
                    .map(|(f, field)| format!("    {} {field};\n", self.name(&f.ty)))
                    .collect();
                let body = if body.is_empty() { "{}".to_string() } else { format!("{{\n{body}}}") };
                self.definitions.push_str(&format!("struct {name} {body};\n"));
                self.names.insert(ty.clone(), name);
                self.fields.insert(ty.clone(), fields);
            }
            Ty::Enum(e) => {
                let mut full = e.name.clone();
                e.generics.iter().for_each(|g| full.push_str(&format!("_{g}")));
                let name = scopes.declare(&full);
                let mut inside = Scopes::default();
                inside.enter();
                let variants: Vec<String> = e.variants.iter().map(|(v, _)| inside.declare(v)).collect();
                let signed = e.variants.iter().any(|(_, value)| *value < 0);
                let base = if signed { "int32_t" } else { "uint32_t" };
                let list: Vec<String> =
                    variants.iter().zip(&e.variants).map(|(v, (_, value))| format!("{v} = {value}")).collect();
                self.definitions.push_str(&format!("enum class {name} : {base} {{ {} }};\n", list.join(", ")));
                self.names.insert(ty.clone(), name);
                self.variants.insert(ty.clone(), variants);
            }
            _ => {}
        }
    }

    pub(super) fn name(&self, ty: &Ty) -> String {
        self.names.get(ty).cloned().unwrap_or_else(|| scalar_type(ty).to_string())
    }
}

fn full_name(s: &StructTy) -> String {
    let mut full = if s.form == Form::Tuple { format!("tuple_{}", s.name) } else { s.name.clone() };
    for generic in &s.generics {
        full.push('_');
        full.push_str(generic);
    }
    full
}

impl Printer<'_> {
    /// The C++ type of a value.
    pub(super) fn type_name(&self, ty: &Ty) -> String {
        self.types.name(ty)
    }

    pub(super) fn data(&mut self, e: &Expr) -> Piece {
        match &e.kind {
            ExprKind::Field(base, at) => {
                let name = self.types.fields.get(base.ty.peeled()).and_then(|f| f.get(*at as usize)).cloned();
                let base = self.dotted(base);
                Piece::primary(format!("{base}.{}", name.unwrap_or_default()))
            }
            ExprKind::Index(base, at) => {
                let base = self.dotted(base);
                let at = self.text(at);
                Piece::primary(format!("{base}[{at}]"))
            }
            ExprKind::Struct(values) | ExprKind::Array(values) => {
                let values: Vec<String> = values.iter().map(|v| self.element(v)).collect();
                Piece::primary(format!("{}{{{}}}", self.type_name(&e.ty), values.join(", ")))
            }
            ExprKind::Repeat(value) if is_zero(value) => Piece::primary(format!("{}{{}}", self.type_name(&e.ty))),
            ExprKind::Repeat(value) => {
                let len = if let Ty::Array(_, len) = e.ty { len as usize } else { 0 };
                let value = self.element(value);
                Piece::primary(format!("{}{{{}}}", self.type_name(&e.ty), vec![value; len].join(", ")))
            }
            ExprKind::Variant(at) => {
                let name = self.types.variants.get(&e.ty).and_then(|v| v.get(*at as usize)).cloned();
                Piece::primary(format!("{}::{}", self.type_name(&e.ty), name.unwrap_or_default()))
            }
            _ => Piece::primary(String::new()),
        }
    }

    /// What an assignment or declaration fills after it: an array with one value for all its elements.
    pub(super) fn filling(&mut self, value: &Expr) -> Option<String> {
        match (&value.kind, &value.ty) {
            (ExprKind::Repeat(element), Ty::Array(_, len)) if *len > WRITTEN_OUT && !is_zero(element) => {
                Some(self.text(element))
            }
            _ => None,
        }
    }

    fn dotted(&mut self, base: &Expr) -> String {
        let piece = self.expr(base);
        piece.as_primary()
    }

    /// A value between braces, where C++ allows no conversion that could lose something.
    fn element(&mut self, value: &Expr) -> String {
        let piece = self.expr(value);
        let exact = fold(value).is_some()
            || matches!(
                value.kind,
                ExprKind::Local(_) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Call(..)
            );
        if value.ty == Ty::Bool
            && matches!(value.kind, ExprKind::Binary(BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor, ..))
        {
            // An `int` in C++.
            return format!("static_cast<bool>({})", piece.text);
        }
        match value.ty.int() {
            Some(ty) if ty.bits < 32 && !exact => format!("static_cast<{}>({})", int_type(ty), piece.text),
            Some(ty) if ty.bits == 32 && !ty.signed => piece.of_word(),
            _ => piece.text,
        }
    }
}

fn is_zero(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(0) | ExprKind::Bool(false) => true,
        ExprKind::F32(v) => v.to_bits() == 0,
        ExprKind::Struct(values) | ExprKind::Array(values) => values.iter().all(is_zero),
        ExprKind::Repeat(value) => is_zero(value),
        ExprKind::Variant(at) => {
            matches!(&e.ty, Ty::Enum(ty) if ty.variants.get(*at as usize).is_some_and(|v| v.1 == 0))
        }
        _ => false,
    }
}
