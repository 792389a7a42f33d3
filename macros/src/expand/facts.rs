//! Declared facts, as constants beside what they are about. What has none gets no token.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::aimed;
use crate::attr::Allow;
use crate::attr::operators::FieldPath;
use crate::model::{About, Facts, GroupKind, Member, Resource};

/// The facts of the `index`th member.
pub(super) fn of_member(index: usize, member: &Member) -> Option<TokenStream> {
    let facts = list(&member.facts, &[], member.facts.api_default.as_ref().map(|_| api_default(index)));
    (!facts.is_empty()).then(|| quote!(&[#(#facts),*]))
}

/// The facts of a resource. They stand aside, for they may name fields, and so ask the table that names them.
pub(super) fn of_resource(resource: &Resource) -> Vec<TokenStream> {
    let ident = &resource.object.ident;
    let groups = resource.facts.groups.iter().map(|group| {
        let kind = kind(group.kind);
        let paths = group.members.iter().map(|(path, name)| {
            let inner = (1..path.0.len()).map(|depth| {
                let (names, depth) = on_the_way(path, depth);
                quote!(__upstate::current_name::<#ident>(&[#(#names),*], #depth))
            });
            quote!(&[#name #(, #inner)*])
        });
        quote!(__upstate::Fact::group(#kind, &[#(#paths),*]))
    });
    list(&resource.facts, &groups.collect::<Vec<_>>(), None)
}

/// The name of the function that writes what the API takes if nothing is sent.
pub(super) fn api_default(index: usize) -> Ident {
    format_ident!("__upstate_api_default_{index}")
}

fn list(facts: &Facts, groups: &[TokenStream], api_default: Option<Ident>) -> Vec<TokenStream> {
    let said = facts.said.iter().map(|(about, text)| {
        let about = self::about(*about);
        quote!(__upstate::Fact::said(#about, #text))
    });
    let api_default = api_default.map(|function| quote!(__upstate::Fact::api_default(#function)));
    let allowed = facts.allowed.iter().flat_map(|Allow { rules, path, reason, until }| {
        let path = path.as_ref().map_or_else(String::new, syn::LitStr::value);
        rules.iter().map(move |rule| quote!(__upstate::Fact::allowed(#rule, #path, #reason, #until)))
    });
    said.chain(api_default).chain(groups.iter().cloned()).chain(allowed).collect()
}

/// What something is said about, as the runtime calls it.
fn about(about: About) -> TokenStream {
    match about {
        About::RenamedFrom => quote!(__upstate::About::RenamedFrom),
        About::ReplacedBy => quote!(__upstate::About::ReplacedBy),
        About::NoReplacement => quote!(__upstate::About::NoReplacement),
        About::DeprecatedSince => quote!(__upstate::About::DeprecatedSince),
        About::RemoveIn => quote!(__upstate::About::RemoveIn),
        About::Format => quote!(__upstate::About::Format),
        About::Accepts => quote!(__upstate::About::Accepts),
        About::IdFormat => quote!(__upstate::About::IdFormat),
        About::ImportFormat => quote!(__upstate::About::ImportFormat),
        About::Read => quote!(__upstate::About::Read),
        About::Tier => quote!(__upstate::About::Tier),
        About::Destroy => quote!(__upstate::About::Destroy),
    }
}

/// What a constraint asks for, as the runtime calls it.
fn kind(kind: GroupKind) -> TokenStream {
    match kind {
        GroupKind::ConflictsWith => quote!(__upstate::GroupKind::ConflictsWith),
        GroupKind::ExactlyOneOf => quote!(__upstate::GroupKind::ExactlyOneOf),
        GroupKind::AtLeastOneOf => quote!(__upstate::GroupKind::AtLeastOneOf),
        GroupKind::RequiredWith => quote!(__upstate::GroupKind::RequiredWith),
    }
}

/// The proofs that the rules which are let through exist, and can be.
pub(super) fn rules(facts: &Facts) -> Vec<TokenStream> {
    let rules = facts.allowed.iter().flat_map(|allow| &allow.rules);
    rules.map(|rule| quote_spanned!(rule.span()=> const _: () = __upstate::check_rule(#rule);)).collect()
}

/// The proofs of what is said about a resource.
pub(super) fn proofs(resource: &Resource) -> Vec<TokenStream> {
    let ident = &resource.object.ident;
    let mut proofs = rules(&resource.facts);
    for group in &resource.facts.groups {
        let word = group.kind.word();
        for (path, _) in &group.members {
            for (depth, segment) in path.0.iter().enumerate().skip(1) {
                let (names, depth) = on_the_way(path, depth);
                let ident = aimed(ident, segment.span());
                proofs.push(quote_spanned! {segment.span()=>
                    const _: () = __upstate::check_current_name::<#ident>(&[#(#names),*], #depth);
                });
            }
            let Some(last) = path.0.last() else { continue };
            let (names, ident) = (path.names(), aimed(ident, last.span()));
            proofs.push(quote_spanned! {last.span()=>
                const _: () = __upstate::check_constrained::<#ident>(#word, &[#(#names),*]);
            });
        }
    }
    proofs
}

/// The names of a path up to and with `depth`, and `depth`.
fn on_the_way(path: &FieldPath, depth: usize) -> (Vec<String>, Literal) {
    (path.names().into_iter().take(depth + 1).collect(), Literal::usize_unsuffixed(depth))
}
