//! The name under which a copy looks for the struct that stands for a called function.

use super::Copier;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Path;

/// A called function under a name of ours.
pub(super) struct Twin {
    /// As it is written in the kernel, without what is between angle brackets.
    path: String,
    alias: String,
    import: TokenStream,
}

impl Copier<'_> {
    /// The path of the struct of a called function, and of the function itself. A function without `#[ttl::device]` has none, and rustc can only say that it found nothing of this
    /// name: so the name says why. The struct's begins where the path of the call does, as the messages about the call itself.
    pub(super) fn twin(&mut self, callee: &Path) -> (TokenStream, TokenStream) {
        // A name alone may be that of a crate as well, `half` for instance. Then it means the function, but rustc does not import it.
        let (Some(first), Some(last)) = (callee.segments.first(), callee.segments.iter().skip(1).last()) else {
            return (quote!(#callee), quote!(#callee));
        };
        let (colon, segments) = (&callee.leading_colon, callee.segments.iter().map(|s| &s.ident));
        let bare = quote!(#colon #(#segments)::*);
        let path = bare.to_string();
        let alias = match self.twins.iter().find(|t| t.path == path) {
            Some(twin) => twin.alias.clone(),
            None => {
                let name = last.ident.to_string();
                let mut alias = format!("{}_needs_the_attribute_ttl_device", name.trim_start_matches("r#"));
                // Functions of one name in several modules.
                while self.twins.iter().any(|t| t.alias == alias) {
                    alias.push('_');
                }
                let known_as = Ident::new(&alias, first.ident.span());
                self.twins.push(Twin { path, alias: alias.clone(), import: quote!(use #bare as #known_as;) });
                alias
            }
        };
        let [twin, function] = [first, last].map(|at| Ident::new(&alias, at.ident.span()));
        let arguments = &last.arguments;
        (quote!(#twin #arguments), quote!(#function #arguments))
    }

    /// What brings the names into the copy.
    pub(super) fn imports(&self) -> TokenStream {
        self.twins.iter().map(|t| t.import.clone()).collect()
    }
}
