//! Types. Whether a named type is a device type is for rustc to say; only what can never be one is refused here.

use super::Parser;
use crate::messages as m;
use crate::model::Ty;
use syn::{GenericArgument, PathArguments, Type};

impl Parser<'_> {
    pub(super) fn ty(&mut self, ty: &Type) -> Ty {
        let mut infer = false;
        let known = self.walk_ty(ty, &mut infer);
        let slot = (known && !infer).then(|| self.types.intern(ty));
        // A refused type gets a slot too, so that it is reported once.
        let slot = if known { slot } else { Some(0) };
        Ty { syn: ty.clone(), slot }
    }

    /// False if the type was refused.
    fn walk_ty(&mut self, ty: &Type, infer: &mut bool) -> bool {
        match ty {
            Type::Path(path) => {
                if path.qself.is_some() {
                    self.report.refuse(path, &m::TYPE_QSELF);
                    return false;
                }
                self.type_path(path, infer)
            }
            Type::Reference(reference) => {
                if let Some(lifetime) = &reference.lifetime
                    && lifetime.ident != "_"
                {
                    return self.named_lifetime(lifetime);
                }
                self.walk_ty(&reference.elem, infer)
            }
            Type::Paren(paren) => self.walk_ty(&paren.elem, infer),
            Type::Group(group) => self.walk_ty(&group.elem, infer),
            Type::Tuple(tuple) if tuple.elems.is_empty() => true,
            Type::Infer(_) => {
                *infer = true;
                true
            }
            Type::Array(t) => self.walk_ty(&t.elem, infer),
            Type::FnPtr(t) => self.no_type(t, &m::TYPE_FN),
            Type::ImplTrait(t) => self.no_type(t, &m::IMPL_TRAIT),
            Type::Macro(t) => self.no_type(t, &m::TYPE_MACRO),
            Type::Never(t) => self.no_type(t, &m::TYPE_NEVER),
            Type::Ptr(t) => self.no_type(t, &m::TYPE_POINTER),
            Type::Slice(t) => self.no_type(t, &m::TYPE_SLICE),
            Type::TraitObject(t) => self.no_type(t, &m::TYPE_DYN),
            Type::Tuple(t) => {
                let mut known = true;
                for elem in &t.elems {
                    known &= self.walk_ty(elem, infer);
                }
                known
            }
            Type::Verbatim(t) => self.no_type(t, &m::TYPE_UNKNOWN),
            other => self.no_type(other, &m::TYPE_UNKNOWN),
        }
    }

    fn named_lifetime(&mut self, lifetime: &syn::Lifetime) -> bool {
        if !self.has_lifetimes {
            self.report.refuse(lifetime, &m::NAMED_LIFETIME);
        }
        false
    }

    fn no_type(&mut self, at: impl quote::ToTokens, refusal: &m::Refusal) -> bool {
        self.report.refuse(at, refusal);
        false
    }

    fn type_path(&mut self, ty: &syn::TypePath, infer: &mut bool) -> bool {
        let mut known = true;
        for segment in &ty.path.segments {
            match &segment.arguments {
                PathArguments::None => {}
                PathArguments::AngleBracketed(args) => {
                    for arg in &args.args {
                        match arg {
                            GenericArgument::Type(t) => known &= self.walk_ty(t, infer),
                            GenericArgument::Lifetime(l) if l.ident != "_" => {
                                known &= self.named_lifetime(l);
                            }
                            _ => {}
                        }
                    }
                }
                PathArguments::Parenthesized(args) => known &= self.no_type(args, &m::TYPE_FN),
            }
        }
        if let Some(last) = ty.path.segments.last()
            && let Some(refusal) = refused_name(&last.ident.to_string())
            && (ty.path.segments.len() == 1 || known)
        {
            known &= self.no_type(ty, refusal);
        }
        known
    }
}

/// Types of Rust that users reach for, with a better message than "not a device type".
fn refused_name(name: &str) -> Option<&'static m::Refusal> {
    Some(match name {
        "u64" | "i64" | "u128" | "i128" => &m::WIDE_INT,
        "isize" => &m::ISIZE,
        "f64" | "f16" | "f128" => &m::F64,
        "char" | "str" => &m::TYPE_CHAR,
        "String" | "Vec" | "Box" | "Rc" | "Arc" | "HashMap" => &m::TYPE_HEAP,
        "Result" => &m::TYPE_RESULT,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Refuses what can be no device type, without asking for its name.
    pub(super) fn check_ty(&mut self, ty: &Type) {
        let mut infer = false;
        self.walk_ty(ty, &mut infer);
    }
}
