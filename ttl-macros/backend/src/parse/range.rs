//! What a `for` runs over: `a..b`, with `.rev()` and `.step_by(n)`.

use super::Parser;
use crate::messages as m;
use crate::model::{Adapter, Range, Step};
use quote::ToTokens;
use syn::Expr;

impl Parser<'_> {
    pub(super) fn range(&mut self, expr: Expr) -> Option<Range> {
        match expr {
            Expr::Range(range) => {
                self.attributes(&range.attrs);
                match (range.start, range.end) {
                    (Some(start), Some(end)) => Some(Range {
                        paren: None,
                        start: self.expr(*start),
                        limits: range.limits,
                        end: self.expr(*end),
                        adapters: Vec::new(),
                    }),
                    _ => {
                        self.report.refuse(range.limits, &m::RANGE_ENDS);
                        None
                    }
                }
            }
            Expr::Paren(paren) => {
                let mut range = self.range(*paren.expr)?;
                if range.adapters.is_empty() {
                    range.paren = Some(paren.paren_token);
                }
                Some(range)
            }
            Expr::Group(group) => self.range(*group.expr),
            Expr::MethodCall(call) if ttl_skeleton::RANGE_ADAPTERS.contains(&call.method.to_string().as_str()) => {
                let mut range = self.range(*call.receiver)?;
                if let Some(turbofish) = &call.turbofish {
                    self.report.refuse(turbofish, &m::TURBOFISH_METHOD);
                }
                let step = if call.method == "step_by" {
                    let arg = call.args.into_iter().next();
                    match arg.and_then(|arg| self.step(arg)) {
                        Some(step) => Some(step),
                        None => return None,
                    }
                } else {
                    None
                };
                range.adapters.push(Adapter { dot: call.dot_token, name: call.method, paren: call.paren_token, step });
                Some(range)
            }
            other => {
                self.report.refuse(other, &m::FOR_ITERATOR);
                None
            }
        }
    }

    fn step(&mut self, expr: Expr) -> Option<Step> {
        let tokens = expr.to_token_stream();
        let mut inner = &expr;
        loop {
            inner = match inner {
                Expr::Paren(e) => &e.expr,
                Expr::Group(e) => &e.expr,
                Expr::Cast(e) => &e.expr,
                _ => break,
            };
        }
        match inner {
            Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Int(int) => {
                    if let Ok(value) = int.base10_parse::<u64>() {
                        return Some(Step::Literal { lit: int.clone(), value });
                    }
                    self.report.refuse(int, &m::INT_TOO_LARGE);
                    return None;
                }
                other => self.report.refuse(other, &m::STEP),
            },
            Expr::Path(path) if path.qself.is_none() => {
                return Some(Step::Const { path: path.path.clone(), tokens, index: 0 });
            }
            _ => self.report.refuse(tokens, &m::STEP),
        }
        None
    }
}
