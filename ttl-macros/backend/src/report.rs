//! Collects errors, so that a user sees all of them at once.

use crate::messages::Refusal;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// The message of the catalogue, over all of `at`.
    pub(crate) fn refuse(&mut self, at: impl ToTokens, refusal: &Refusal) {
        self.push(syn::Error::new_spanned(at, refusal.text()));
    }

    /// The same with the numbers.
    pub(crate) fn refuse_with(&mut self, at: impl ToTokens, refusal: &Refusal, numbers: &str) {
        self.push(syn::Error::new_spanned(at, refusal.text_with(numbers)));
    }

    pub(crate) fn refuse_span(&mut self, at: Span, refusal: &Refusal, numbers: &str) {
        self.push(syn::Error::new(at, refusal.text_with(numbers)));
    }

    pub(crate) fn refuse_at(&mut self, at: Span, refusal: &Refusal) {
        self.push(syn::Error::new(at, refusal.text()));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    #[cfg(test)]
    pub(crate) fn errors(&self) -> &[syn::Error] {
        &self.errors
    }

    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.errors.iter().map(syn::Error::to_compile_error).collect()
    }
}
