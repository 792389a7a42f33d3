//! The table of a declarative upgrader, and the proofs that it fits both models.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Path, Type};
use upstate_words::operators::STRUCTURES;

use super::checks::{THE_FIELD_EXISTS, THE_REASON_IS_WRITTEN, proven};
use super::{
    aimed, call_by, difference, last_segment, literal, object, of_model, option, proofs, variants,
};
use crate::attr::operators::{
    Apart, Argument, Condition, Constant, FieldPath, FunctionKind, Letters, Match, Operation,
    Otherwise, Pattern, Piece, Segment, Stage, Template, UrlPart,
};
use crate::model::{Declared, Dropped, Notice, Prior, PriorVersion, Production, Target, inside};

/// The upgrader or move that the table is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Resource,
    Object,
}

/// The two ends of an upgrader.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub(super) owner: Owner,
    /// The struct.
    pub(super) ident: &'a Ident,
    pub(super) to: Target,
    /// The versions without a struct.
    pub(super) shapes: &'a [PriorVersion],
}

impl<'a> Ends<'a> {
    /// To the struct itself, from another.
    pub(super) const fn of_struct(owner: Owner, ident: &'a Ident) -> Self {
        Self {
            owner,
            ident,
            to: Target::Current,
            shapes: &[],
        }
    }
}

/// The constants of one declarative upgrader, which is the `index`th of its struct.
pub(super) fn table(ends: Ends<'_>, declared: &Declared, index: usize) -> TokenStream {
    let Ends {
        owner,
        ident,
        to,
        shapes,
    } = ends;
    let (shape, table) = match declared.prior {
        Prior::Model(_) | Prior::Object(_) => (None, None),
        Prior::Shape(shape) => (shapes.get(shape), Some(difference::table_ident(shape))),
    };
    let mut writer = Writer {
        ident,
        to,
        is_of_objects: owner == Owner::Object || matches!(to, Target::Object(_)),
        shape,
        table,
        prior: prior_table(index),
        index,
        functions: TokenStream::new(),
        values: 0,
        declassified: Vec::new(),
        of_parts: &declared.of_parts,
        checks: TokenStream::new(),
        checked: BTreeSet::new(),
    };
    let Declared {
        prior: from,
        productions,
        drops,
        notices,
        conditions,
        ..
    } = declared;
    let conditions: TokenStream = conditions
        .iter()
        .enumerate()
        .map(|(place, condition)| {
            let name = condition_ident(index, place);
            let condition = writer.condition(condition);
            quote!(const #name: &__upstate::Condition = &#condition;)
        })
        .collect();
    let table: Vec<_> = productions
        .iter()
        .map(|production| writer.production(production))
        .collect();
    let drops: Vec<_> = drops
        .iter()
        .map(|Dropped { path, reason, back }| {
            let path = writer.prior_path(path);
            let back = back.as_ref().map(|back| {
                let back = literal(back);
                quote!(.with_back(__upstate::Constant::Literal(#back)))
            });
            quote!(__upstate::Dropped::new(#path, #reason) #back)
        })
        .collect();
    let notices: Vec<_> = notices
        .iter()
        .map(|Notice { text, at, refuse, only_if }| {
            let at = at.as_ref().map_or_else(|| quote!(&[]), |at| writer.prior_path(at));
            let only_if = option(only_if.map(|place| {
                let condition = condition_ident(index, place);
                quote!(#condition)
            }));
            quote!(__upstate::Notice { text: #text, at: #at, refuse: #refuse, only_if: #only_if })
        })
        .collect();

    let carried = declared.declassified.iter().map(|(path, name, reason)| {
        let inner = (1..path.0.len())
            .map(|depth| writer.current_name(path, depth))
            .collect::<Vec<_>>();
        let name = writer.first_name(path, name);
        writer.checks.extend(open_reason(reason));
        quote!(__upstate::Declassified { path: &[#name #(, #inner)*], reason: #reason })
    });
    let carried: Vec<_> = carried.collect();
    let Writer {
        functions,
        checks,
        mut declassified,
        ..
    } = writer;
    declassified.extend(carried);
    let operators = operators_ident(index);
    let name = prior_ident(index);
    let constant = |prior: &TokenStream| quote!(const #name: &__upstate::Prior = &#prior;);
    let prior = match (from, owner) {
        (Prior::Model(model), Owner::Resource) => {
            let prior = quote!(__upstate::Prior::model::<#model>());
            constant(&of_model(model, &prior))
        }
        (Prior::Model(model), Owner::Object) => {
            let table =
                quote_spanned!(last_segment(model)=> <#model as __upstate::IsObject>::SHAPE);
            constant(&quote!(__upstate::Prior::object_shape(#table)))
        }
        // No constant: the compiler would validate it with all versions below.
        (Prior::Shape(shape), _) => {
            let shape = difference::shape_ident(*shape);
            quote!(static #name: __upstate::Prior = __upstate::Prior::shape(&#shape);)
        }
        (Prior::Object(object), _) => {
            let table = difference::object_ident(*object);
            constant(&quote!(__upstate::Prior::object_shape(#table)))
        }
    };
    // The compiler looks for cells in what each borrow holds, also in that of an empty array.
    let lists = [
        ("productions", table),
        ("drops", drops),
        ("notices", notices),
        ("declassified", declassified),
    ];
    let is_full = lists.iter().all(|(_, entries)| !entries.is_empty());
    let base = (!is_full).then(|| quote!(..__upstate::Operators::CARRY));
    let lists = lists
        .iter()
        .filter(|(_, entries)| !entries.is_empty())
        .map(|(name, entries)| {
            let name = Ident::new(name, Span::call_site());
            quote!(#name: &[#(#entries),*])
        })
        .chain(base);
    let proofs = proofs::of(ends, declared, index);
    let answers = answers(declared);
    let editor = for_editors(ends, declared, index);
    quote! {
        #prior
        #answers
        #functions
        #conditions
        const #operators: &__upstate::Operators = &__upstate::Operators { #(#lists),* };
        #checks
        #proofs
        #editor
    }
}

/// Refuses `…`, which `upstate next` writes in place of a reason: beside what the lock finds, so
/// that `next` can ask again.
fn open_reason(reason: &LitStr) -> Option<TokenStream> {
    let message = "the reason is missing\nhelp: say why the value may be shown: `declassified = \"the API shows it\"`";
    let is_open = !reason.value().contains(char::is_alphanumeric);
    is_open.then(|| {
        proven(
            THE_REASON_IS_WRITTEN,
            &quote_spanned!(reason.span()=> ::core::panic!(#message)),
            reason.span(),
        )
    })
}

/// True if an author has yet to write it: `upstate next` leaves `todo!()` where it knows no value.
fn is_to_be_written(expr: &Expr) -> bool {
    matches!(expr, Expr::Macro(call) if call.mac.path.segments.last().is_some_and(|name| name.ident == "todo"))
}

/// The prior version, as far as an upgrader knows it.
pub(super) fn prior(declared: &Declared, index: usize) -> TokenStream {
    let name = prior_ident(index);
    match declared.prior {
        Prior::Shape(_) => quote!(&#name),
        Prior::Model(_) | Prior::Object(_) => quote!(#name),
    }
}

/// The shape of the prior version, which the compiler's checks ask about.
pub(super) fn prior_table(index: usize) -> TokenStream {
    let name = prior_ident(index);
    quote!(#name.table())
}

pub(super) fn prior_ident(index: usize) -> Ident {
    format_ident!("__UPSTATE_PRIOR_{index}")
}

pub(super) fn operators_ident(index: usize) -> Ident {
    format_ident!("__UPSTATE_OPERATORS_{index}")
}

pub(super) fn condition_ident(index: usize, place: usize) -> Ident {
    format_ident!("__UPSTATE_CONDITION_{index}_{place}")
}

/// Writes one table, and aside what it refers to and what proves it.
struct Writer<'a> {
    ident: &'a Ident,
    to: Target,
    /// True if it is of nested objects, and not of a resource.
    is_of_objects: bool,
    /// The prior version, where no struct describes it.
    shape: Option<&'a PriorVersion>,
    /// And its table: a constant, as names have to be that are referred to.
    table: Option<Ident>,
    prior: TokenStream,
    index: usize,
    /// The functions that write values, and how many they are.
    functions: TokenStream,
    values: usize,
    /// The fields that may show what was sensitive, with the reason.
    declassified: Vec<TokenStream>,
    /// The first names of targets that a flattened field stores.
    of_parts: &'a BTreeSet<String>,
    checks: TokenStream,
    /// The names that have a check: whether they are prior ones, and the path to them.
    checked: BTreeSet<(bool, Vec<String>)>,
}

impl Writer<'_> {
    fn production(&mut self, production: &Production) -> TokenStream {
        let Production {
            target,
            name,
            ty,
            stages,
        } = production;
        let inner = (1..target.0.len())
            .map(|depth| self.current_name(target, depth))
            .collect::<Vec<_>>();
        let name = self.first_name(target, name);
        let path = quote!(&[#name #(, #inner)*]);
        if let Some(reason) = stages.iter().find_map(|stage| stage.declassified.as_ref()) {
            self.checks.extend(open_reason(reason));
            self.declassified
                .push(quote!(__upstate::Declassified { path: #path, reason: #reason }));
        }
        let stages: Vec<_> = stages
            .iter()
            .map(|stage| self.stage(stage, ty.as_ref(), &path))
            .collect();
        quote!(__upstate::Production { target: #path, stages: &[#(#stages),*] })
    }

    fn stage(&mut self, stage: &Stage, ty: Option<&Type>, target: &TokenStream) -> TokenStream {
        if stage.operation.awaits() && self.is_of_objects {
            let message = "nothing can be awaited for a nested object by itself\nhelp: ask for it where the resource is upgraded: `fill(…, with = path, async)` for one of its own fields, or `with = path, async` for all of it";
            self.checks
                .extend(quote_spanned!(stage.word.span()=> ::core::compile_error!(#message);));
        }
        let operation = match stage.variants() {
            Some((changes, _)) => {
                let later = difference::later_table(self.to);
                let info = quote!(__upstate::derived::info_at(#later, #target));
                self.checks.extend(variants::gone(changes, &info));
                let changes = variants::argument(changes, &info);
                let name = format_ident!("__UPSTATE_VARIANTS_{}_{}", self.index, self.values);
                self.values += 1;
                // A constant, because the compiler does not extend the life of what functions in an
                // argument answer.
                self.functions
                    .extend(quote!(const #name: &[__upstate::VariantChange] = #changes;));
                quote!(Structure(__upstate::Structure::Variants(#name)))
            }
            None => self.operation(&stage.operation, ty),
        };
        let each = stage.each.then(|| quote!(.each()));
        let only_if = stage.only_if.map(|place| {
            let condition = condition_ident(self.index, place);
            quote!(.only_if(#condition))
        });
        quote!(__upstate::Stage::new(__upstate::Operation::#operation) #each #only_if)
    }

    /// A variant of the runtime's table, with its fields in the order in which the operator's word
    /// lists them.
    fn operation(&mut self, operation: &Operation, ty: Option<&Type>) -> TokenStream {
        if let Some((path, kind, back)) = operation.function() {
            let from: Vec<_> = operation
                .names()
                .into_iter()
                .map(|from| self.prior_path(from))
                .collect();
            let function = called(path, kind, back, from.len().max(1));
            return if from.is_empty() {
                function
            } else {
                quote!(#function.of(&[#(#from),*]))
            };
        }
        let variant = format_ident!("{}", operation.effect.variant);
        let values: Vec<_> = operation
            .arguments
            .iter()
            .map(|argument| self.argument(argument, ty))
            .collect();
        let of_structure = STRUCTURES
            .iter()
            .any(|effect| effect.variant == operation.effect.variant);
        if of_structure {
            quote!(Structure(__upstate::Structure::#variant(#(#values),*)))
        } else {
            quote!(#variant(#(#values),*))
        }
    }

    fn argument(&mut self, argument: &Argument, ty: Option<&Type>) -> TokenStream {
        match argument {
            Argument::Prior(from) => self.prior_path(from),
            Argument::Priors(from) => {
                let from: Vec<_> = from.iter().map(|from| self.prior_path(from)).collect();
                quote!(&[#(#from),*])
            }
            Argument::Constant(value) => self.constant(value, ty),
            Argument::Matches(these) => matches(these),
            Argument::Choice(choice, variant) => {
                let (ty, variant) = (format_ident!("{}", choice.ty), format_ident!("{variant}"));
                quote!(__upstate::#ty::#variant)
            }
            Argument::Function { path, kind, back } => called(path, *kind, back.as_ref(), 1),
            Argument::Table(table) => {
                let rows = table.iter().map(|(old, new)| {
                    let (old, new) = (literal(old), literal(new));
                    quote!((#old, #new))
                });
                quote!(&[#(#rows),*])
            }
            Argument::Otherwise(other) => otherwise(other),
            Argument::Forms(forms) => {
                let forms = self.forms(forms);
                quote!(&[#(#forms),*])
            }
            Argument::Template(template) => self.template(template),
            Argument::Apart(apart) => apart_of(apart),
            Argument::Text(text) => text.to_token_stream(),
            Argument::Member(member) => member.name.to_token_stream(),
            Argument::OptionalMember(member) => option(member.as_ref().map(|member| &member.name)),
            Argument::Patterns(keys) => {
                let keys = keys.iter().map(pattern);
                quote!(&[#(#keys),*])
            }
            Argument::Flag(flag) => flag.to_token_stream(),
            // Written with the stage, because these need the field that they are about.
            Argument::Variants(_) => TokenStream::new(),
        }
    }

    fn forms(&mut self, forms: &[(Pattern, Template)]) -> Vec<TokenStream> {
        let form = |(found, template): &(Pattern, Template)| {
            let (found, template) = (pattern(found), self.template(template));
            quote!((#found, #template))
        };
        forms.iter().map(form).collect()
    }

    fn constant(&mut self, constant: &Constant, ty: Option<&Type>) -> TokenStream {
        match (constant, ty) {
            (Constant::Literal(value), _) => {
                let value = literal(value);
                quote!(__upstate::Constant::Literal(#value))
            }
            (Constant::Expr(expr), Some(ty)) => {
                let ty = inside("Option", ty).unwrap_or(ty);
                let (upgrader, value) = (self.index, self.values);
                self.values += 1;
                let name = format_ident!("__upstate_value_{upgrader}_{value}");
                if is_to_be_written(expr) {
                    // Like an open reason: said beside what the lock finds.
                    let message = "the value is missing\nhelp: in place of `todo!()`, write what state of the earlier version gets";
                    let open = quote_spanned!(expr.span()=> ::core::panic!(#message));
                    self.checks
                        .extend(proven("THE_VALUE_IS_WRITTEN", &open, expr.span()));
                    self.functions.extend(
                        quote!(fn #name(_: &mut __upstate::Writer<'_>) { ::core::todo!() }),
                    );
                    return quote!(__upstate::Constant::Written(#name));
                }
                let writer = Ident::new("writer", Span::call_site());
                let write = object::write_value(ty, expr, &writer);
                self.functions
                    .extend(quote!(fn #name(#writer: &mut __upstate::Writer<'_>) { #write; }));
                quote!(__upstate::Constant::Written(#name))
            }
            // Never compiled, because the model has refused it.
            (Constant::Expr(_), None) => {
                quote!(__upstate::Constant::Literal(__upstate::Literal::Null))
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> TokenStream {
        let condition = match condition {
            Condition::Has(path) => {
                let path = self.prior_path(path);
                quote!(Has(#path))
            }
            Condition::Lacks(path) => {
                let path = self.prior_path(path);
                quote!(Lacks(#path))
            }
            Condition::Is(path, these) => {
                let (path, these) = (self.prior_path(path), matches(these));
                quote!(Is(#path, #these))
            }
            Condition::Fits(path, found) => {
                let (path, found) = (self.prior_path(path), pattern(found));
                quote!(Fits(#path, #found))
            }
            Condition::Not(other) => {
                let other = self.condition(other);
                quote!(Not(&#other))
            }
            Condition::All(all) => {
                let all: Vec<_> = all.iter().map(|one| self.condition(one)).collect();
                quote!(All(&[#(#all),*]))
            }
            Condition::Any(any) => {
                let any: Vec<_> = any.iter().map(|one| self.condition(one)).collect();
                quote!(Any(&[#(#any),*]))
            }
        };
        quote!(__upstate::Condition::#condition)
    }

    fn template(&mut self, template: &[Segment]) -> TokenStream {
        let segments: Vec<_> = template
            .iter()
            .map(|segment| {
                let segment = match segment {
                    Segment::Text(text) => quote!(Text(#text)),
                    Segment::Found(name, letters) => {
                        let letters = letters_of(*letters);
                        quote!(Found(#name, #letters))
                    }
                    Segment::Prior(path, letters) => {
                        let (path, letters) = (self.prior_path(path), letters_of(*letters));
                        quote!(Prior(#path, #letters))
                    }
                };
                quote!(__upstate::Segment::#segment)
            })
            .collect();
        quote!(&[#(#segments),*])
    }

    /// The path's names in prior state.
    fn prior_path(&mut self, path: &FieldPath) -> TokenStream {
        let names = path.names();
        let prior = self.prior.clone();
        let segments: Vec<_> = path
            .0
            .iter()
            .enumerate()
            .map(|(depth, segment)| {
                let on_the_way: Vec<_> = names.iter().take(depth + 1).collect();
                // No check, because the derive knows the fields of a shape that it makes itself.
                let known = self.shape.filter(|_| depth == 0).zip(names.first());
                if let Some(field) = known.and_then(|(shape, name)| shape.shape.field(name)) {
                    return field.name.to_token_stream();
                }
                let depth = proc_macro2::Literal::usize_unsuffixed(depth);
                if self.checked.insert((true, on_the_way.iter().map(|name| (*name).clone()).collect())) {
                    let call = quote_spanned!(segment.span()=> __upstate::check_prior_name(#prior, &[#(#on_the_way),*], #depth));
                    self.checks.extend(proven("THE_PRIOR_FIELD_EXISTS", &call, segment.span()));
                }
                if let Some(table) = &self.table {
                    quote!(__upstate::name_in(#table, &[#(#on_the_way),*], #depth))
                } else {
                    quote!(__upstate::prior_name(#prior, &[#(#on_the_way),*], #depth))
                }
            })
            .collect();
        quote!(&[#(#segments),*])
    }

    /// The first of the path's names in current state. The derive does not see those of flattened
    /// fields, and of nested objects without a struct of their own.
    fn first_name(&mut self, path: &FieldPath, name: &str) -> TokenStream {
        let is_of_part = path
            .names()
            .first()
            .is_some_and(|first| self.of_parts.contains(first));
        if is_of_part || matches!(self.to, Target::Object(_)) {
            self.current_name(path, 0)
        } else {
            name.to_token_stream()
        }
    }

    /// One of the path's names in current state, below the first.
    fn current_name(&mut self, path: &FieldPath, depth: usize) -> TokenStream {
        let names: Vec<_> = path.names().into_iter().take(depth + 1).collect();
        let Some(segment) = path.0.get(depth) else {
            return TokenStream::new();
        };
        let (ident, this) = (aimed(self.ident, segment.span()), self.ident);
        let place = proc_macro2::Literal::usize_unsuffixed(depth);
        let is_new = self.checked.insert((false, names.clone()));
        match self.to {
            Target::Current => {
                if is_new {
                    let call = quote_spanned!(segment.span()=> __upstate::check_current_name::<#ident>(&[#(#names),*], #place));
                    self.checks
                        .extend(proven(THE_FIELD_EXISTS, &call, segment.span()));
                }
                if self.is_of_objects {
                    // By the static, since the constant of the trait asks for all that the table
                    // refers to, which these names are for.
                    quote!(__upstate::name_in(&__UPSTATE_TABLE, &[#(#names),*], #place))
                } else {
                    quote!(__upstate::current_name::<#this>(&[#(#names),*], #place))
                }
            }
            made @ (Target::Shape(_) | Target::Object(_)) => {
                let made = difference::later_table(made);
                if is_new {
                    let call = quote_spanned!(segment.span()=> __upstate::check_current_name_in(#made, &[#(#names),*], #place));
                    self.checks
                        .extend(proven(THE_FIELD_EXISTS, &call, segment.span()));
                }
                quote!(__upstate::name_in(#made, &[#(#names),*], #place))
            }
        }
    }
}

/// The method of the answers of functions that cannot fail; a `Result` has one of its own.
fn answers(declared: &Declared) -> Option<TokenStream> {
    let mut stages = declared.stages();
    let calls = stages.any(|stage| stage.operation.function().is_some());
    calls.then(|| {
        quote! {
            #[allow(unused_imports)]
            use __upstate::Infallible as _;
        }
    })
}

/// The operator that calls a function with so many values.
fn called(path: &Path, kind: FunctionKind, back: Option<&Path>, count: usize) -> TokenStream {
    let span = last_segment(path);
    let (wrapper, word) = match kind {
        FunctionKind::Plain => ("Function", "function"),
        FunctionKind::Context => ("ContextFunction", "context_function"),
        FunctionKind::Async => ("AsyncFunction", "async_function"),
    };
    let (wrapper, word) = (
        Ident::new(wrapper, span),
        Ident::new(word, Span::call_site()),
    );
    // Several values are one tuple, because the runtime calls all functions with one value.
    let values: Vec<Ident> = match count {
        1 => vec![Ident::new("value", span)],
        _ => (0..count)
            .map(|nth| format_ident!("value_{nth}", span = span))
            .collect(),
    };
    let taken = if count == 1 {
        quote!(#(#values)*)
    } else {
        quote!((#(#values),*))
    };
    // These methods have the bounds of what it may take and make, because the compiler would show the
    // bounds of a function with our source.
    let mut passed: Vec<TokenStream> = values
        .iter()
        .map(|value| quote_spanned!(span=> <__upstate::StoredField as __upstate::Gives<_>>::given(#value)))
        .collect();
    let context = (!matches!(kind, FunctionKind::Plain)).then(|| {
        let context = Ident::new("context", span);
        passed.push(quote!(#context));
        quote!(, #context)
    });
    // The number of values is written, because the compiler takes it from the function otherwise,
    // and blames the values.
    let each = passed.iter().map(|_| quote!(_));
    let call = quote_spanned!(span=> __upstate::FieldFunction::<(#(#each,)*), _, _>::call(#path, (#(#passed,)*)));
    let answer = match kind {
        FunctionKind::Plain | FunctionKind::Context => {
            quote_spanned!(span=> __upstate::Answer(#call).value().map(__upstate::Makes::made).map_err(__upstate::Refusal::into_diagnostics))
        }
        FunctionKind::Async => {
            quote_spanned!(span=> __upstate::boxed(__upstate::AsyncAnswer::awaited(#call)))
        }
    };
    let function = quote_spanned!(span=> &__upstate::#wrapper::new(|#taken #context| #answer));
    match back {
        None => quote!(#word(#function)),
        Some(back) => {
            let word = format_ident!("{word}_and_back");
            let call = call_by("BackFunction", &quote!(_, _, _), back, &["value"]);
            let back =
                quote_spanned!(last_segment(back)=> &__upstate::Function::new(|value| #call));
            quote!(#word(#function, #back))
        }
    }
}

fn letters_of(letters: Letters) -> TokenStream {
    match letters {
        Letters::AsIs => quote!(__upstate::Letters::AsIs),
        Letters::Lower => quote!(__upstate::Letters::Lower),
        Letters::Upper => quote!(__upstate::Letters::Upper),
    }
}

fn matches(these: &[Match]) -> TokenStream {
    let these = these.iter().map(|this| match this {
        Match::Literal(value) => {
            let value = literal(value);
            quote!(__upstate::Match::Literal(#value))
        }
        Match::Empty => quote!(__upstate::Match::Empty),
    });
    quote!(&[#(#these),*])
}

fn otherwise(other: &Otherwise) -> TokenStream {
    match other {
        Otherwise::Refuse => quote!(__upstate::Otherwise::Refuse),
        Otherwise::Keep => quote!(__upstate::Otherwise::Keep),
        Otherwise::Become(value) => {
            let value = literal(value);
            quote!(__upstate::Otherwise::Become(#value))
        }
    }
}

fn pattern(pattern: &Pattern) -> TokenStream {
    let Pattern {
        pieces,
        ignore_case,
        span: _,
    } = pattern;
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => quote!(__upstate::Piece::Text(#text)),
        Piece::Part(name) => quote!(__upstate::Piece::Part(#name)),
        Piece::Rest(name) => quote!(__upstate::Piece::Rest(#name)),
        Piece::Optional {
            name,
            rest,
            sign,
            leads,
            default,
        } => {
            let part =
                quote!(name: #name, rest: #rest, sign: #sign, leads: #leads, default: #default);
            quote!(__upstate::Piece::Optional(__upstate::OptionalPart { #part }))
        }
    });
    quote!(__upstate::Pattern { pieces: &[#(#pieces),*], ignore_case: #ignore_case })
}

fn apart_of(apart: &Apart) -> TokenStream {
    match apart {
        Apart::Pattern(found) => {
            let found = pattern(found);
            quote!(__upstate::Apart::Pattern(#found))
        }
        Apart::Url(parts) => {
            let span = parts.first().map_or_else(Span::call_site, |part| part.span);
            let parts = parts.iter().map(
                |UrlPart {
                     name,
                     default,
                     field,
                     span: _,
                 }| {
                    let (default, kept) = (option(default.as_ref().map(literal)), field.is_some());
                    quote!(__upstate::UrlPart { name: #name, default: #default, kept: #kept })
                },
            );
            quote_spanned!(span=> __upstate::Apart::url(&[#(#parts),*]))
        }
    }
}

/// A function that no compiler sees, so that an editor finds the fields that operators name. It
/// takes the first name of a path only: what is inside may stand in an `Option` or a collection.
fn for_editors(Ends { ident, to, .. }: Ends<'_>, declared: &Declared, index: usize) -> TokenStream {
    let Declared {
        prior: from,
        productions,
        drops,
        notices,
        carried,
        of_parts,
        conditions,
        ..
    } = declared;
    let is_current = to == Target::Current;
    let mut prior: Vec<&FieldPath> = drops.iter().map(|dropped| &dropped.path).collect();
    let mut current: Vec<&FieldPath> = carried.iter().collect();
    for stage in productions.iter().flat_map(|production| &production.stages) {
        // The names in a string are no identifiers.
        let is_of_part = stage
            .target
            .names()
            .first()
            .is_some_and(|first| of_parts.contains(first));
        if !is_of_part
            && !stage
                .operation
                .arguments
                .iter()
                .any(|argument| matches!(argument, Argument::Apart(Apart::Pattern(_))))
        {
            current.push(&stage.target);
        }
        prior.extend(stage.operation.names());
    }
    prior.extend(notices.iter().filter_map(|notice| notice.at.as_ref()));
    for condition in conditions {
        prior.extend(condition.reads());
    }
    if !is_current {
        current.clear();
    }
    let Prior::Model(model) = from else {
        // The prior version has no fields that an editor could find.
        let current = current.into_iter().filter_map(|path| path.0.first());
        let name = format_ident!("__upstate_fields_{index}");
        return if is_current {
            quote! {
                #[cfg(rust_analyzer)]
                fn #name(current: &#ident) {
                    #(let _ = &current.#current;)*
                }
            }
        } else {
            TokenStream::new()
        };
    };
    if prior.is_empty() && current.is_empty() {
        return TokenStream::new();
    }
    let name = format_ident!("__upstate_fields_{index}");
    let (prior, current) = (
        prior.into_iter().filter_map(|path| path.0.first()),
        current.into_iter().filter_map(|path| path.0.first()),
    );
    quote! {
        #[cfg(rust_analyzer)]
        fn #name(prior: &#model, current: &#ident) {
            #(let _ = &prior.#prior;)*
            #(let _ = &current.#current;)*
        }
    }
}
