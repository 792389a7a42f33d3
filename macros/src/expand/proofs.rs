//! Proofs of an upgrader of operators: calls that the compiler evaluates, each where its mistake
//! would be.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use upstate_words::operators::Replaces;
use upstate_words::operators::set::SET;

use super::checks::{THE_REASON_IS_WRITTEN, proven};
use super::operators::{Ends, Owner, condition_ident, operators_ident, prior_table};
use super::{aimed, difference, key, last_segment};
use crate::attr::operators::{FieldPath, Stage};
use crate::model::{Declared, Dropped, Prior, PriorVersion, Production, Row, Target};

/// The proofs of one upgrader, which is the `index`th of its struct.
pub(super) fn of(ends: Ends<'_>, declared: &Declared, index: usize) -> TokenStream {
    let proofs = Proofs {
        ends,
        declared,
        index,
        prior: prior_table(index),
        operators: operators_ident(index),
    };
    let conditions = (0..declared.conditions.len()).map(|place| proofs.condition(place));
    let productions = (0..declared.productions.len()).map(|place| proofs.production(place));
    let drops = (0..declared.drops.len()).map(|place| proofs.dropped(place));
    let accounting = proofs.accounting();
    quote! {
        #(#conditions)*
        #(#productions)*
        #(#drops)*
        #accounting
    }
}

const CAN_HOLD: &str = "THE_CONDITION_CAN_HOLD";
const FITS: &str = "THE_VALUE_FITS";
const ACCOUNTED: &str = "EVERY_FIELD_IS_ACCOUNTED_FOR";

/// The subject of the proofs of one upgrader.
struct Proofs<'a> {
    ends: Ends<'a>,
    declared: &'a Declared,
    index: usize,
    prior: TokenStream,
    operators: Ident,
}

impl Proofs<'_> {
    /// The values that a condition looks for may be there.
    fn condition(&self, place: usize) -> Option<TokenStream> {
        let (prior, condition) = (&self.prior, condition_ident(self.index, place));
        let operands = self.declared.conditions.get(place)?.operands();
        let span = operands.first()?.1;
        let operands: Vec<_> = operands
            .iter()
            .map(|(nth, span)| (0, *nth, *span))
            .collect();
        let call = |name: &str, span: Span| {
            let name = Ident::new(name, span);
            quote_spanned!(span=> __upstate::#name(#condition, #prior))
        };
        // All of them, because any may be wrong.
        Some(match operands.as_slice() {
            [_] => proven(CAN_HOLD, &call("check_condition", span), span),
            operands => blamed(CAN_HOLD, operands, &call("find_in_condition", span), span),
        })
    }

    /// Proves that the result of a production fits its target.
    fn production(&self, place: usize) -> Option<TokenStream> {
        let Ends {
            ident, to, shapes, ..
        } = self.ends;
        let production = self.declared.productions.get(place)?;
        let shape = shape_of(self.declared, shapes);
        if is_plain(production, shape) {
            return None;
        }
        let function = production.stages.iter().rev().find_map(|stage| {
            let (path, ..) = stage.operation.function()?;
            Some(last_segment(path))
        });
        let (prior, operators, nth) = (&self.prior, &self.operators, number(place));
        let call = |name: &str, span: Span| match to {
            Target::Current => {
                let (name, ident) = (Ident::new(name, span), aimed(ident, span));
                quote_spanned!(span=> __upstate::#name::<#ident>(#prior, #operators, #nth))
            }
            made @ (Target::Shape(_) | Target::Object(_)) => {
                let (name, made) = (
                    Ident::new(&format!("{name}_to"), span),
                    difference::later_table(made),
                );
                quote_spanned!(span=> __upstate::#name(#made, #prior, #operators, #nth))
            }
        };
        let span = function
            .or_else(|| production.target.0.last().map(Ident::span))
            .unwrap_or_else(Span::call_site);
        let operands: Vec<_> = production
            .stages
            .iter()
            .enumerate()
            .flat_map(|(stage, Stage { operation, .. })| {
                operation
                    .operands()
                    .into_iter()
                    .map(move |(nth, span)| (stage, nth, span))
            })
            .collect();
        Some(match (production.stages.as_slice(), operands.as_slice()) {
            (_, []) => proven(FITS, &call("check_production", span), span),
            // Nothing but the value can be wrong.
            (
                [
                    Stage {
                        operation,
                        each: false,
                        ..
                    },
                ],
                [(.., span)],
            ) if *operation.effect == SET => proven(FITS, &call("check_production", *span), *span),
            (_, operands) => blamed(FITS, operands, &call("find_operand", span), span),
        })
    }

    /// A downgrade may put there what `back` says, and there is a reason.
    fn dropped(&self, place: usize) -> Option<TokenStream> {
        let Dropped { reason, back, .. } = self.declared.drops.get(place)?;
        let (prior, operators, place) = (&self.prior, &self.operators, number(place));
        let back = back.as_ref().map(|back| {
            proven(
                "WHAT_IS_PUT_BACK_FITS",
                &quote_spanned!(back.span=> __upstate::check_back(#prior, #operators, #place)),
                back.span,
            )
        });
        // `…` stays where `upstate next` wrote an operator. That is said beside what the lock
        // finds, not in place of it: `next` asks again.
        let reason = (!reason.value().contains(char::is_alphanumeric)).then(|| {
            let message = "the reason is missing\nhelp: say it to users, such as \"the API no longer has it\"";
            proven(THE_REASON_IS_WRITTEN, &quote_spanned!(reason.span()=> ::core::panic!(#message)), reason.span())
        });
        Some(quote!(#back #reason))
    }

    /// Every prior field goes somewhere, and every current one comes from somewhere.
    fn accounting(&self) -> Option<TokenStream> {
        let Ends {
            owner,
            ident,
            to,
            shapes,
        } = self.ends;
        if shape_of(self.declared, shapes).is_some_and(|shape| !shape.is_to_be_accounted) {
            return None;
        }
        let span = match &self.declared.prior {
            Prior::Model(model) => self.declared.carry.unwrap_or_else(|| last_segment(model)),
            Prior::Shape(_) | Prior::Object(_) => first_span(self.declared),
        };
        let (prior, operators, accounts) = (&self.prior, &self.operators, accounts(self.declared));
        let this = aimed(ident, span);
        let mut operands = self.accounted();
        operands.push((0, 0, span));
        let types = types_of_carried(self.declared);
        let proof = |call: &dyn Fn(&str) -> TokenStream| match operands.as_slice() {
            [_] if types.is_empty() => proven(ACCOUNTED, &call("check"), span),
            operands => blamed_with(ACCOUNTED, operands, &call("find_in"), span, &types),
        };
        Some(match to {
            // The member that is left over is a static of its own, so that the table can refer to
            // it and is read for it.
            Target::Current if owner == Owner::Object => {
                let (named, left_over) = (
                    format_ident!("__UPSTATE_ACCOUNTS_{}", self.index),
                    left_over_ident(self.index),
                );
                let proof = proof(&|does| {
                    let name = Ident::new(&format!("{does}_object_accounting"), span);
                    quote_spanned!(span=> __upstate::#name::<#this>(#prior, #operators, #named, &#left_over))
                });
                quote! {
                    const #named: &__upstate::Accounts = &#accounts;
                    static #left_over: __upstate::LeftOver = __upstate::left_over(&__UPSTATE_TABLE, #prior, #operators, #named);
                    #proof
                }
            }
            Target::Current => proof(&|does| {
                let name = Ident::new(&format!("{does}_accounting"), span);
                quote_spanned!(span=> __upstate::#name::<#this>(#prior, #operators, &#accounts))
            }),
            made @ (Target::Shape(_) | Target::Object(_)) => {
                let made = difference::later_table(made);
                proof(&|does| {
                    let name = Ident::new(&format!("{does}_accounting_to"), span);
                    quote_spanned!(span=> __upstate::#name(#made, #prior, #operators, &#accounts))
                })
            }
        })
    }

    /// The operators that may lose a field by themselves, each with its place: those that drop one,
    /// rename one, or replace one.
    fn accounted(&self) -> Vec<(usize, usize, Span)> {
        let Declared {
            drops, productions, ..
        } = self.declared;
        let place = |path: &FieldPath| path.0.last().map(Ident::span);
        let drops = drops
            .iter()
            .enumerate()
            .filter_map(|(nth, dropped)| Some((1, nth, place(&dropped.path)?)));
        let may_lose = |production: &Production| {
            let conditional = production
                .stages
                .iter()
                .any(|stage| stage.only_if.is_some());
            conditional || production.starts_empty()
        };
        let made = productions
            .iter()
            .enumerate()
            .filter(|(_, production)| may_lose(production));
        drops
            .chain(made.filter_map(|(nth, production)| Some((2, nth, place(&production.target)?))))
            .collect()
    }
}

/// The name of the member that the operators of a nested object leave to `rekey`.
pub(super) fn left_over_ident(index: usize) -> Ident {
    format_ident!("__UPSTATE_LEFT_OVER_{index}")
}

/// A check that says which operand is wrong, which is then refused where it is written.
fn blamed(
    holds: &str,
    operands: &[(usize, usize, Span)],
    find: &TokenStream,
    span: Span,
) -> TokenStream {
    blamed_with(holds, operands, find, span, &[])
}

/// With the types of carried fields, which what is proposed at the last operand needs.
fn blamed_with(
    holds: &str,
    operands: &[(usize, usize, Span)],
    find: &TokenStream,
    span: Span,
    types: &[(String, String)],
) -> TokenStream {
    let Some(((.., last), others)) = operands.split_last() else {
        return proven(holds, find, span);
    };
    let blamed = Ident::new("blamed", Span::call_site());
    let refuse = |span: Span| quote_spanned!(span=> __upstate::refuse_operand(&#blamed));
    let last = if types.is_empty() {
        refuse(*last)
    } else {
        let types = types.iter().map(|(field, ty)| quote!((#field, #ty)));
        quote_spanned!(*last=> __upstate::refuse_carried(&#blamed, &[#(#types),*]))
    };
    let refusal = if others.is_empty() {
        last
    } else {
        let arms = others.iter().map(|(stage, nth, span)| {
            let (stage, nth, refuse) = (number(*stage), number(*nth), refuse(*span));
            quote!((#stage, #nth) => #refuse,)
        });
        quote!(match #blamed.operand { #(#arms)* _ => #last })
    };
    proven(
        holds,
        &quote!(if let __upstate::Some(#blamed) = #find { #refusal }),
        span,
    )
}

fn number(number: usize) -> TokenStream {
    Literal::usize_unsuffixed(number).into_token_stream()
}

/// The types that `carry` has, by the names of their fields. What attributes say of a field, or
/// objects that are written in its type, is not part of what a message can hold.
fn types_of_carried(declared: &Declared) -> Vec<(String, String)> {
    let typed = declared.carried.iter().filter_map(|path| {
        let written = path
            .1
            .as_ref()
            .filter(|written| written.attributes.is_empty() && !written.has_objects())?;
        (path.0.len() == 1).then(|| (path.spelt(), written.spelt()))
    });
    typed.collect()
}

/// The version without a struct that an upgrader starts from.
fn shape_of<'a>(declared: &Declared, shapes: &'a [PriorVersion]) -> Option<&'a PriorVersion> {
    match declared.prior {
        Prior::Model(_) | Prior::Object(_) => None,
        Prior::Shape(shape) => shapes.get(shape),
    }
}

/// The place of the first operator.
fn first_span(declared: &Declared) -> Span {
    let stages = declared.stages().map(|stage| stage.word.span());
    let drops = declared
        .drops
        .iter()
        .filter_map(|dropped| dropped.path.0.first())
        .map(Ident::span);
    let carried = declared
        .carried
        .iter()
        .filter_map(|path| path.0.first())
        .map(Ident::span);
    stages
        .chain(carried)
        .chain(drops)
        .next()
        .unwrap_or_else(Span::call_site)
}

/// True if a production of a difference is just another name, so that there is nothing to prove.
fn is_plain(production: &Production, shape: Option<&PriorVersion>) -> bool {
    let [
        Stage {
            operation,
            each: false,
            only_if: None,
            ..
        },
    ] = production.stages.as_slice()
    else {
        return false;
    };
    let Some(from) = operation.moved() else {
        return false;
    };
    let names = from.names();
    let field = shape
        .zip(names.first())
        .and_then(|(shape, name)| shape.shape.field(name));
    names.len() == 1
        && production.target.0.len() == 1
        && field.is_some_and(|field| matches!(field.row, Row::Renamed { retyped: false, .. }))
}

/// The first names in operators, by their keys.
fn accounts(declared: &Declared) -> TokenStream {
    let Declared {
        productions, drops, ..
    } = declared;
    let (mut taken, mut named) = (BTreeSet::new(), BTreeSet::new());
    let mut take = |path: &FieldPath, always: bool| match path.names().as_slice() {
        [field] if always => taken.insert(field.clone()),
        [field, ..] => named.insert(field.clone()),
        [] => false,
    };
    for Dropped { path, .. } in drops {
        take(path, true);
    }
    for Production { target, stages, .. } in productions {
        let (above, depth) = (target.names(), target.0.len());
        let is_within = |other: &Production| {
            other.target.0.len() > depth && other.target.names().starts_with(&above)
        };
        let is_whole = !productions.iter().any(is_within);
        for (index, stage) in stages.iter().enumerate() {
            // Otherwise a value whose place a later operator takes, whole or in part, would not be
            // looked at.
            let stays = is_whole
                && !stages
                    .iter()
                    .skip(index + 1)
                    .any(|later| later.operation.replaces() == Replaces::Always);
            for field in stage.operation.reads() {
                take(field, stage.only_if.is_none() && stays);
            }
        }
    }
    // A dropped field is accounted for also on states for which the condition does not hold.
    named.retain(|field| !taken.contains(field));
    let (made, parts): (Vec<_>, Vec<_>) = productions
        .iter()
        .partition(|production| production.target.0.len() == 1);
    let [made, parts] = [made, parts].map(|productions| {
        productions
            .iter()
            .map(|production| production.name.clone())
            .collect()
    });
    // A field that is made on some states only may take the place of the prior one, which is why
    // that is looked at.
    let always = |stages: &[Stage]| stages.iter().all(|stage| stage.only_if.is_none());
    let kept = productions.iter().filter(|production| {
        production.target.0.len() == 1 && !production.starts_empty() && always(&production.stages)
    });
    let kept = kept.map(|production| production.name.clone()).collect();
    let [taken, named, made, kept, parts] =
        [taken, named, made, kept, parts].map(|names: BTreeSet<String>| {
            let keys = names.iter().map(|name| key(name));
            quote!(&[#(#keys),*])
        });
    quote!(__upstate::Accounts { taken: #taken, named: #named, made: #made, kept: #kept, parts: #parts })
}
