//! Declared facts, as constants beside what they are about. What has none gets no token.

use std::fmt::{self, Write as _};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{LitStr, Type};
use upstate_words::facts::About;

use super::checks::{THE_FIELD_EXISTS, proven};
use super::field::item_of;
use super::{aimed, key, option};
use crate::attr::operators::FieldPath;
use crate::attr::{Allow, Behaviour, Length, Range, Values, spelt};
use crate::model::{Check, Facts, Member, Resource, inside};

/// The facts of the `index`th member.
pub(super) fn of_member(index: usize, member: &Member) -> Option<TokenStream> {
    let mut facts = list(
        &member.facts,
        &[],
        member
            .facts
            .api_default
            .as_ref()
            .map(|_| api_default(index)),
    );
    let place = Place { index, part: "" };
    facts.extend(member.facts.checks.iter().map(|check| {
        let check = self::check(&place, check);
        quote!(__upstate::Fact::Check(#check))
    }));
    facts.extend(member.facts.own_schema.as_ref().map(|(ty, _)| {
        let (text, function) = (ty.to_token_stream().to_string(), own_schema(index));
        quote!(__upstate::Fact::own_schema(#text, #function))
    }));
    facts.extend(member.facts.replaces_if.as_ref().map(|path| {
        let (name, function) = (spelt(path), replaces_if(index));
        quote!(__upstate::Fact::replaces_if(#name, #function))
    }));
    (!facts.is_empty()).then(|| quote!(&[#(#facts),*]))
}

/// The facts of a resource. They stand aside, for they may name fields, and so ask the table that
/// names them.
pub(super) fn of_resource(resource: &Resource) -> Vec<TokenStream> {
    let ident = &resource.object.ident;
    let groups = resource.facts.groups.iter().map(|group| {
        let kind = variant(&group.kind);
        let paths = group.members.iter().map(|(path, name)| {
            let inner = (1..path.0.len()).map(|depth| {
                let (names, depth) = on_the_way(path, depth);
                quote!(__upstate::constrained_name::<#ident>(&[#(#names),*], #depth))
            });
            quote!(&[#name #(, #inner)*])
        });
        quote!(__upstate::Fact::group(__upstate::GroupKind::#kind, &[#(#paths),*]))
    });
    let mut facts = list(&resource.facts, &groups.collect::<Vec<_>>(), None);
    facts.extend(resource.facts.custom_resource.as_ref().map(
        |path| quote!(__upstate::Fact::CustomResource(<#ident as #path::CustomResource>::FACTS)),
    ));
    facts
}

/// A check, as the runtime has it.
fn check(place: &Place, check: &Check) -> TokenStream {
    let limits = |Length { min, max, .. }: &Length| {
        (Literal::u64_unsuffixed(*min), Literal::u64_unsuffixed(*max))
    };
    match check {
        Check::Length(length) => {
            let (min, max) = limits(length);
            quote!(__upstate::Check::length(#min, #max))
        }
        Check::Bytes(length) => {
            let (min, max) = limits(length);
            quote!(__upstate::Check::bytes(#min, #max))
        }
        Check::Range(Range { min, max, .. }) => {
            let (min, max) = (
                option(min.as_ref().map(ToTokens::to_token_stream)),
                option(max.as_ref().map(ToTokens::to_token_stream)),
            );
            quote!(__upstate::Check::range(#min, #max))
        }
        Check::Pattern(pattern, message) => {
            let message = option(message.as_ref());
            quote!(__upstate::Check::pattern(#pattern, #message))
        }
        Check::OneOf(values) => {
            let texts = texts(values);
            quote!(__upstate::Check::one_of(&[#(__upstate::Shared::Static(#texts)),*]))
        }
        Check::NoneOf(values) => {
            let texts = texts(values);
            quote!(__upstate::Check::none_of(&[#(__upstate::Shared::Static(#texts)),*]))
        }
        Check::Each(..) => {
            let checks = checks_of_part(&place.each());
            quote!(__upstate::Check::each(&#checks))
        }
        Check::Keys(_) => {
            let checks = checks_of_part(&place.keys());
            quote!(__upstate::Check::keys(&#checks))
        }
        Check::Function(path) => {
            let (name, function) = (spelt(path), check_function(place));
            quote!(__upstate::Check::function(#name, #function))
        }
    }
}

/// The values of a list, as JSON.
fn texts(values: &Values) -> Vec<String> {
    match values {
        Values::Strings(strings) => strings.iter().map(|text| json(&text.value())).collect(),
        Values::Numbers(numbers) => numbers.iter().map(|(number, _)| number.clone()).collect(),
    }
}

/// The member that checks are of, and the part of its values, which names their functions.
struct Place {
    index: usize,
    part: &'static str,
}

impl Place {
    fn each(&self) -> Self {
        Self {
            index: self.index,
            part: "each_",
        }
    }

    fn keys(&self) -> Self {
        Self {
            index: self.index,
            part: "keys_",
        }
    }
}

/// The name of the checks of elements or keys.
fn checks_of_part(place: &Place) -> Ident {
    format_ident!("__upstate_checks_{}{}", place.part, place.index)
}

/// The checks of elements or keys, as an item of their own: what functions make is not promoted to
/// a constant.
fn part(place: &Place, checks: &[Check]) -> TokenStream {
    let (name, count) = (
        checks_of_part(place),
        Literal::usize_unsuffixed(checks.len()),
    );
    let checks = checks.iter().map(|check| self::check(place, check));
    quote!(#[allow(non_upper_case_globals)] static #name: [__upstate::Check; #count] = [#(#checks),*];)
}

/// A string as JSON.
fn json(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            // Writing to a string never fails.
            control if control < ' ' => drop(write!(json, "\\u{:04x}", u32::from(control))),
            letter => json.push(letter),
        }
    }
    json + "\""
}

/// The name of the function that runs an author's check.
fn check_function(place: &Place) -> Ident {
    format_ident!("__upstate_check_{}{}", place.part, place.index)
}

/// The name of the function that asks an author's whether a change replaces.
fn replaces_if(index: usize) -> Ident {
    format_ident!("__upstate_replaces_if_{index}")
}

/// The name of the function that makes the schema of a type.
fn own_schema(index: usize) -> Ident {
    format_ident!("__upstate_schema_{index}")
}

/// The functions that run authors' checks, and the proofs that the type of a member is one that its
/// checks are for.
pub(super) fn checks(index: usize, member: &Member, info: &TokenStream) -> Vec<TokenStream> {
    let ty = inside("Option", &member.ty).unwrap_or(&member.ty);
    let place = Place { index, part: "" };
    let mut made: Vec<_> = member
        .facts
        .checks
        .iter()
        .flat_map(|check| made_for(&place, check, ty, info))
        .collect();
    if let Some(path) = &member.facts.replaces_if {
        let (name, ty) = (replaces_if(index), &member.ty);
        let [prior, planned] = ["prior", "planned"].map(|name| Ident::new(name, Span::call_site()));
        let call = quote_spanned!(path.span()=> __upstate::DecidesReplacement::<#ty, _>::replaces(#path, #prior, #planned));
        let run = quote_spanned!(path.span()=> __upstate::replaces_if::<#ty>(#prior, #planned, |#prior, #planned| #call));
        made.push(quote!(fn #name(#prior: &str, #planned: &str) -> bool { #run }));
    }
    if let Some((ty, span)) = &member.facts.own_schema {
        let name = own_schema(index);
        let schema =
            quote_spanned!(ty.span()=> <#ty as ::upstate_kube::__private::OwnSchema>::own_schema());
        made.push(proven(
            "THE_TYPE_HAS_NO_SCHEMA_YET",
            &quote_spanned!(*span=> __upstate::check_own_schema(#info)),
            *span,
        ));
        made.push(quote!(fn #name() -> __upstate::String { #schema }));
    }
    made.extend(structural(&member.facts, info));
    made
}

/// The proofs that the type of a member is one that its options of Kubernetes are for.
fn structural(facts: &Facts, info: &TokenStream) -> Vec<TokenStream> {
    let keys = facts
        .declared
        .iter()
        .filter(|(about, _)| *about == About::ListMapKey)
        .map(|(_, name)| key(&name.value()));
    let keys: Vec<_> = keys.collect();
    let proof = |(about, text): &(About, LitStr)| {
        let call = match about {
            About::IntOrString => {
                quote_spanned!(text.span()=> __upstate::check_int_or_string(#info))
            }
            About::Nullable => quote_spanned!(text.span()=> __upstate::check_nullable(#info)),
            About::MapType => quote_spanned!(text.span()=> __upstate::check_map_type(#info)),
            About::ListType => {
                quote_spanned!(text.span()=> __upstate::check_list_type(#info, #text, &[#(#keys),*]))
            }
            About::RenamedFrom
            | About::ReplacedBy
            | About::NoReplacement
            | About::DeprecatedSince
            | About::RemoveIn
            | About::Format
            | About::Accepts
            | About::IdFormat
            | About::ImportFormat
            | About::Read
            | About::Tier
            | About::Destroy
            | About::ReadAs
            | About::ListMapKey
            | About::Rule
            | About::RuleMessage => return None,
        };
        Some(proven("THE_OPTION_FITS_THE_TYPE", &call, text.span()))
    };
    facts.declared.iter().filter_map(proof).collect()
}

fn made_for(place: &Place, check: &Check, ty: &Type, info: &TokenStream) -> Vec<TokenStream> {
    let proof = |span: Span, name: &str| {
        let name = Ident::new(name, span);
        vec![proven(
            "THE_OPTION_FITS_THE_TYPE",
            &quote_spanned!(span=> __upstate::#name(#info)),
            span,
        )]
    };
    match check {
        Check::Length(length) => proof(length.span, "check_length"),
        Check::Bytes(length) => proof(length.span, "check_bytes"),
        Check::Range(range) => proof(range.span, "check_range"),
        Check::Pattern(pattern, _) => proof(pattern.span(), "check_pattern"),
        Check::OneOf(Values::Strings(strings)) | Check::NoneOf(Values::Strings(strings)) => proof(
            strings.first().map_or_else(Span::call_site, LitStr::span),
            "check_strings",
        ),
        Check::OneOf(Values::Numbers(numbers)) | Check::NoneOf(Values::Numbers(numbers)) => proof(
            numbers
                .first()
                .map_or_else(Span::call_site, |(_, span)| *span),
            "check_numbers",
        ),
        Check::Each(checks, element) => {
            let (place, info) = (place.each(), item_of(element, "INFO"));
            let made = checks
                .iter()
                .flat_map(|check| made_for(&place, check, element, &info));
            made.chain([part(&place, checks)]).collect()
        }
        Check::Keys(checks) => {
            let key: Type = syn::parse_quote!(__upstate::String);
            let (place, info) = (place.keys(), item_of(&key, "INFO"));
            let made = checks
                .iter()
                .flat_map(|check| made_for(&place, check, &key, &info));
            made.chain([part(&place, checks)]).collect()
        }
        Check::Function(path) => {
            let span = path.span();
            // At the same place, but as the macro's words, because it is nothing that a lint of the
            // author's could be about.
            let own = span.resolved_at(Span::mixed_site());
            // The author's function may have the name of either.
            let (name, json, value) = (
                check_function(place),
                Ident::new("json", own),
                Ident::new("value", own),
            );
            let form = quote_spanned!(own=> (&&__upstate::Checking(#value, #path)).form());
            // With the type, which the compiler would not name yet where no form fits.
            let call = quote_spanned!(span=> __upstate::CheckFunction::<'_, #ty, _, _>::call(#path, #value, #form));
            let check = quote_spanned!(span=> __upstate::CheckAnswer::checked(#call));
            let run = quote_spanned!(span=> __upstate::check_value::<#ty>(#json, |#value| #check));
            let forms = quote!(
                #[allow(unused_imports)]
                use __upstate::{TakesTarget as _, TakesValue as _};
            );
            vec![
                quote!(fn #name(#json: &str) -> __upstate::Result<(), __upstate::Diagnostics> { #forms #run }),
            ]
        }
    }
}

/// The name of the function that writes what the API takes if nothing is sent.
pub(super) fn api_default(index: usize) -> Ident {
    format_ident!("__upstate_api_default_{index}")
}

fn list(facts: &Facts, groups: &[TokenStream], api_default: Option<Ident>) -> Vec<TokenStream> {
    let declared = facts.declared.iter().map(|(about, text)| {
        let about = variant(about);
        quote!(__upstate::Fact::stated(__upstate::About::#about, #text))
    });
    let api_default = api_default.map(|function| quote!(__upstate::Fact::api_default(#function)));
    let allowed = facts.allowed.iter().flat_map(
        |Allow {
             rules,
             path,
             reason,
             until,
         }| {
            let path = path.as_ref().map_or_else(String::new, LitStr::value);
            rules
                .iter()
                .map(move |rule| quote!(__upstate::Fact::allowed(#rule, #path, #reason, #until)))
        },
    );
    let behaviours = facts
        .behaviours
        .iter()
        .map(|(Behaviour { text, since, .. }, flag)| {
            let flag = flag.as_deref().unwrap_or_default();
            quote!(__upstate::Fact::behaviour(#text, #since, #flag))
        });
    declared
        .chain(api_default)
        .chain(groups.iter().cloned())
        .chain(behaviours)
        .chain(allowed)
        .collect()
}

/// The variant of an enum of the runtime that has this name, too.
fn variant(named: &impl fmt::Debug) -> Ident {
    format_ident!("{}", format!("{named:?}"))
}

/// The proofs that the rules which are let through exist, and can be.
pub(super) fn rules(facts: &Facts) -> Vec<TokenStream> {
    let rules = facts.allowed.iter().flat_map(|allow| &allow.rules);
    let proof = |rule: &LitStr| {
        proven(
            "THE_RULE_CAN_BE_WAIVED",
            &quote_spanned!(rule.span()=> __upstate::check_rule(#rule)),
            rule.span(),
        )
    };
    rules.map(proof).collect()
}

/// The proofs of what is said about a resource.
pub(super) fn proofs(resource: &Resource) -> Vec<TokenStream> {
    let ident = &resource.object.ident;
    let mut proofs = rules(&resource.facts);
    for group in &resource.facts.groups {
        let word = group.kind.name();
        for (path, _) in &group.members {
            for (depth, segment) in path.0.iter().enumerate().skip(1) {
                let (names, depth) = on_the_way(path, depth);
                let ident = aimed(ident, segment.span());
                let call = quote_spanned!(segment.span()=> __upstate::check_constrained_name::<#ident>(&[#(#names),*], #depth));
                proofs.push(proven(THE_FIELD_EXISTS, &call, segment.span()));
            }
            let Some(last) = path.0.last() else { continue };
            let (names, ident) = (path.names(), aimed(ident, last.span()));
            let (check, name) = if group.kind.is_sum() {
                ("check_summed", "THE_FIELDS_ARE_NUMBERS_THAT_CAN_BE_SET")
            } else {
                ("check_constrained", "THE_FIELDS_CAN_BE_SET_OR_NOT")
            };
            let check = Ident::new(check, last.span());
            let call =
                quote_spanned!(last.span()=> __upstate::#check::<#ident>(#word, &[#(#names),*]));
            proofs.push(proven(name, &call, last.span()));
        }
    }
    proofs
}

/// The names of a path up to and with `depth`, and `depth`.
fn on_the_way(path: &FieldPath, depth: usize) -> (Vec<String>, Literal) {
    (
        path.names().into_iter().take(depth + 1).collect(),
        Literal::usize_unsuffixed(depth),
    )
}
