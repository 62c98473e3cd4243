//! Structs that group parameters: each member is a parameter of its own, and the struct only a set of names.

use super::Lower;
use super::value::{Binding, Value};
use crate::ir::group::GroupTy;
use crate::ir::{Expr, ExprKind, LocalId, Ty};
use std::sync::Arc;
use ttl_skeleton as sk;

/// The members of a struct by their names.
#[derive(Clone, Debug)]
pub(super) struct Group {
    ty: String,
    fields: Arc<Vec<(String, Value)>>,
}

impl Group {
    fn get(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(n, _)| n.trim_start_matches("r#") == name).map(|(_, v)| v)
    }
}

impl Lower<'_> {
    /// The parameters that a group is; `whole` is its type with `&` or `&mut`, which its numbers get.
    pub(super) fn group_param(
        &mut self,
        name: &str,
        group: &GroupTy,
        whole: &Ty,
        mutable: bool,
        params: &mut Vec<LocalId>,
    ) -> Value {
        let mut fields = vec![];
        for (field, ty) in &group.fields {
            let full = format!("{name}_{}", field.trim_start_matches("r#"));
            let value = if let Ty::Group(inner) = ty {
                self.group_param(&full, inner, whole, mutable, params)
            } else if let Some((pipe, locals)) = self.pipe_param(&full, ty) {
                params.extend(locals);
                Value::Pipe(pipe)
            } else {
                let ty = match whole {
                    Ty::Ref { mutable, .. } if ty.is_data() => Ty::reference(*mutable, ty.clone()),
                    _ => ty.clone(),
                };
                let local = self.new_local(&full, ty.clone(), mutable);
                params.push(local);
                match self.param_binding(local, &ty) {
                    Some(Binding::Alias(value)) if !ty.peeled().is_data() => value,
                    Some(_) => Value::Scalar(self.read(local)),
                    None => self.fault(format!("`{}` has a field of type `{ty}`", group.name)),
                }
            };
            fields.push((field.clone(), value));
        }
        Value::Group(Group { ty: group.name.clone(), fields: Arc::new(fields) })
    }

    /// A group of the function around a closure.
    pub(super) fn group_inside(&mut self, name: &str, group: &Group) -> Value {
        let ty = group.ty.clone();
        let mut fields = vec![];
        for (field, value) in group.fields.iter() {
            let full = format!("{name}_{}", field.trim_start_matches("r#"));
            fields.push((field.clone(), self.inside(&full, value.clone())));
        }
        Value::Group(Group { ty, fields: Arc::new(fields) })
    }

    pub(super) fn group_field(&mut self, group: &Group, name: &str) -> Value {
        match group.get(name) {
            Some(value) => value.clone(),
            None => {
                let ty = group.ty.clone();
                self.fault(format!("`{ty}` has no field `{name}`"))
            }
        }
    }

    /// What a value is as arguments: the members of a group and the parts of a pipe, each one.
    pub(super) fn members(&self, value: Value, out: &mut Vec<Value>) {
        match value {
            Value::Group(group) => group.fields.iter().for_each(|(_, v)| self.members(v.clone(), out)),
            Value::Closure(closure) => closure.used.iter().for_each(|v| self.members(v.clone(), out)),
            Value::Pipe(pipe) => out.extend(pipe.locals().into_iter().map(|local| {
                let ty = self.locals[local.0 as usize].ty.clone();
                Value::Scalar(Expr { ty, kind: ExprKind::Local(local) })
            })),
            other => out.push(other),
        }
    }

    /// `let MatmulArgs { a, count, .. } = args;`
    pub(super) fn take_group_apart(&mut self, pat: &sk::Pat, value: Value) {
        match (pat, value) {
            (sk::Pat::Wild, _) => {}
            (sk::Pat::Ref(pat), value) => self.take_group_apart(pat, value),
            (sk::Pat::Struct { variant: None, fields }, Value::Group(group)) => {
                for field in fields {
                    let value = self.group_field(&group, &field.name);
                    self.take_group_apart(&field.pat, value);
                }
            }
            (pat, Value::Scalar(e)) => self.take_apart(pat, &e),
            (sk::Pat::Bind(local, sub), value) => {
                self.bind(*local, value.clone());
                if let Some(sub) = sub {
                    self.take_group_apart(sub, value);
                }
            }
            (_, other) => {
                let what = other.describe();
                self.fault(format!("a pattern of {what}"));
            }
        }
    }
}
