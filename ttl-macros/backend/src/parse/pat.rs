//! Patterns.

use super::Parser;
use crate::messages as m;
use crate::model::{Binding, Pat, Pattern};
use quote::ToTokens;
use syn::{Ident, Lit, Path};

impl Parser<'_> {
    /// A pattern, or nothing if it was refused.
    pub(super) fn pattern(&mut self, pat: syn::Pat) -> Option<Pattern> {
        let tokens = pat.to_token_stream();
        let pat = self.pat(pat)?;
        Some(Pattern { tokens, pat })
    }

    fn no_pat(&mut self, at: impl ToTokens, refusal: &m::Refusal) -> Option<Pat> {
        self.report.refuse(at, refusal);
        None
    }

    fn pats(&mut self, pats: impl IntoIterator<Item = syn::Pat>) -> Option<(Vec<Pat>, Option<u32>)> {
        let (mut list, mut rest) = (Vec::new(), None);
        let mut complete = true;
        for pat in pats {
            if matches!(pat, syn::Pat::Rest(_)) {
                rest = Some(list.len() as u32);
                continue;
            }
            match self.pat(pat) {
                Some(pat) => list.push(pat),
                None => complete = false,
            }
        }
        complete.then_some((list, rest))
    }

    fn pat(&mut self, pat: syn::Pat) -> Option<Pat> {
        use syn::Pat as P;
        match pat {
            P::Wild(_) => Some(Pat::Wild),
            P::Paren(p) => self.pat(*p.pat),
            P::Ident(p) => {
                if let Some(token) = p.by_ref {
                    return self.no_pat(token, &m::REF_PATTERN);
                }
                self.reserved(&p.ident);
                if p.ident == "None" && p.subpat.is_none() {
                    return Some(none());
                }
                if p.subpat.is_none() && p.mutability.is_none() && is_constant(&p.ident) {
                    return Some(Pat::Const { path: p.ident.to_token_stream(), index: 0 });
                }
                let sub = match p.subpat {
                    Some((_, sub)) => Some(Box::new(self.pat(*sub)?)),
                    None => None,
                };
                let binding = Binding { name: p.ident, wild: false, mutability: p.mutability, local: 0 };
                Some(Pat::Bind { binding, sub })
            }
            P::Path(p) => match p.qself {
                Some(_) => self.no_pat(p, &m::QSELF),
                None if is_none(&p.path) => Some(none()),
                None => Some(Pat::Const { path: p.path.to_token_stream(), index: 0 }),
            },
            P::Lit(p) => self.lit_pat(p.lit),
            P::Range(p) => {
                let inclusive = matches!(p.limits, syn::RangeLimits::Closed(_));
                let start = match p.start {
                    Some(e) => Some(Box::new(self.range_end(*e)?)),
                    None => None,
                };
                let end = match p.end {
                    Some(e) => Some(Box::new(self.range_end(*e)?)),
                    None => None,
                };
                Some(Pat::Range { start, end, inclusive })
            }
            P::Tuple(p) => {
                let (list, rest) = self.pats(p.elems)?;
                Some(Pat::Tuple(list, rest))
            }
            P::Slice(p) => match self.pats(p.elems.clone())? {
                (list, None) => Some(Pat::Array(list)),
                _ => self.no_pat(p, &m::ARRAY_REST_PATTERN),
            },
            P::TupleStruct(p) => {
                // Of a struct without field names it is the name of the struct: which it is, its type says.
                let name = last_name(&p.path);
                let (fields, rest) = self.pats(p.elems)?;
                Some(Pat::Variant { name, fields, rest })
            }
            P::Struct(p) => {
                let mut fields = Vec::new();
                let mut complete = true;
                for field in p.fields {
                    let name = member_name(&field.member);
                    match self.pat(*field.pat) {
                        Some(pat) => fields.push((name, pat)),
                        None => complete = false,
                    }
                }
                complete.then_some(Pat::Struct { variant: variant_of(&p.path), fields })
            }
            P::Or(p) => {
                let tokens = p.to_token_stream();
                let (list, _) = self.pats(p.cases)?;
                let mut binds = false;
                list.iter().for_each(|p| p.bindings(&mut |_| binds = true));
                if binds {
                    return self.no_pat(tokens, &m::OR_BINDING);
                }
                Some(Pat::Or(list))
            }
            P::Reference(p) => Some(Pat::Ref(Box::new(self.pat(*p.pat)?))),
            P::Rest(p) => self.no_pat(p, &m::PATTERN),
            other => self.no_pat(other, &m::PATTERN),
        }
    }

    fn lit_pat(&mut self, lit: Lit) -> Option<Pat> {
        match &lit {
            Lit::Bool(b) => Some(Pat::Bool(b.value)),
            Lit::Int(int) if int.suffix() != "f32" => match int.base10_parse::<i64>() {
                Ok(value) => Some(Pat::Int(value)),
                Err(_) => self.no_pat(lit, &m::INT_TOO_LARGE),
            },
            Lit::Str(_) => self.no_pat(lit, &m::STRING),
            Lit::Char(_) | Lit::Byte(_) => self.no_pat(lit, &m::CHAR),
            _ => self.no_pat(lit, &m::FLOAT_PATTERN),
        }
    }

    fn range_end(&mut self, e: syn::Expr) -> Option<Pat> {
        match e {
            syn::Expr::Lit(e) => self.lit_pat(e.lit),
            syn::Expr::Path(e) if e.qself.is_none() => Some(Pat::Const { path: e.path.to_token_stream(), index: 0 }),
            other => self.no_pat(other, &m::PATTERN),
        }
    }
}

/// A name in a pattern that is a constant or a variant. Names in lower case bind; that they are no constants, the copy asks rustc.
fn is_constant(name: &Ident) -> bool {
    name.to_string().starts_with(char::is_uppercase)
}

/// `V` of `E::V`: of two names in a row in upper case the second is a variant, for a module is written in lower case.
pub(super) fn variant_of(path: &Path) -> Option<String> {
    let mut names = path.segments.iter().rev().map(|s| s.ident.to_string());
    let (last, owner) = (names.next()?, names.next()?);
    let upper = |name: &str| name.starts_with(char::is_uppercase);
    (upper(&last) && upper(&owner)).then_some(last)
}

/// `None`: a constant by its look, whose type nothing beside it says.
pub(super) fn is_none(path: &Path) -> bool {
    let mut names = path.segments.iter().rev();
    path.segments.len() <= 2
        && names.next().is_some_and(|s| s.ident == "None" && s.arguments.is_empty())
        && names.next().is_none_or(|s| s.ident == "Option")
}

fn none() -> Pat {
    Pat::Variant { name: "None".to_string(), fields: Vec::new(), rest: None }
}

pub(super) fn last_name(path: &Path) -> String {
    path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default()
}

pub(crate) fn member_name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string().trim_start_matches("r#").to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}
