//! `variants`, and other operators on what is inside of a variant: the path to it has the variant's
//! name in Rust, with a capital.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{LitStr, Token, Type, parenthesized, token};
use upstate_words::operators::variants::VARIANTS;

use super::read::{Place, Reader};
use super::reading::Reading;
use super::{
    Argument, Constant, Entry, FieldPath, Literal, MemberChange, Operation, VariantChange, name_of,
};

impl Reader<'_> {
    pub(super) fn variants(&mut self, reading: Reading<'_>) {
        let mut changes: Vec<VariantChange> = Vec::new();
        let target = self.first_field(reading, |_, input| {
            let change = change(reading, input)?;
            if let Some(of) = change.of()
                && changes.iter().any(|other| other.of().as_ref() == Some(&of))
            {
                let place = change
                    .places()
                    .first()
                    .copied()
                    .unwrap_or_else(Span::call_site);
                return Err(syn::Error::new(
                    place,
                    format!("`{of}` is changed twice\nhelp: keep one of the two"),
                ));
            }
            changes.push(change);
            Ok(())
        });
        let Some(target) = target else { return };
        if changes.is_empty() {
            let message = format!(
                "`variants` has no changes\nhelp: write `variants({}, \"old\" => \"new\")`",
                FieldPath::all_typed(&target)
            );
            self.mistake(syn::Error::new_spanned(target.last(), message));
            return;
        }
        for field in target {
            self.change_variants(reading, field, changes.clone());
        }
    }

    /// Reads a `rename` inside of a variant, if it is one.
    pub(super) fn renamed_in_variant(
        &mut self,
        reading: Reading<'_>,
        from: &FieldPath,
        target: &FieldPath,
    ) -> bool {
        let (Some((field, variant, to)), Some((before, prior, from))) =
            (in_variant(target), in_variant(from))
        else {
            return false;
        };
        let same =
            |one: &[Ident], other: &[Ident]| one.iter().map(name_of).eq(other.iter().map(name_of));
        if !same(before, field) || prior != variant {
            let message = format!(
                "a member of a variant stays in its variant\nhelp: to move it, write `convert({}: …, with = path)`",
                FieldPath(field.to_vec(), None).spelt()
            );
            self.mistake(syn::Error::new_spanned(target, message));
            return true;
        }
        self.change_member(
            reading,
            (field, variant),
            MemberChange::Renamed {
                from: from.clone(),
                to: to.clone(),
            },
        );
        true
    }

    /// Reads a `set` or `default` of targets inside of variants, as the change that `make` makes;
    /// leaves the other targets.
    pub(super) fn outside_variants(
        &mut self,
        reading: Reading<'_>,
        targets: Vec<FieldPath>,
        value: &Constant,
        make: fn(Ident, Literal) -> MemberChange,
    ) -> Vec<FieldPath> {
        targets
            .into_iter()
            .filter(|target| !self.set_in_variant(reading, target, value, make))
            .collect()
    }

    fn set_in_variant(
        &mut self,
        reading: Reading<'_>,
        target: &FieldPath,
        value: &Constant,
        make: fn(Ident, Literal) -> MemberChange,
    ) -> bool {
        let Some((field, variant, name)) = in_variant(target) else {
            return false;
        };
        match value {
            Constant::Literal(value) => {
                let change = make(name.clone(), value.clone());
                self.change_member(reading, (field, variant), change);
            }
            Constant::Expr(expr) => {
                let message = format!(
                    "inside of a variant, `{}` takes a value that is written here\nhelp: write a string, a number, a bool or `null`, or `convert({}: …, with = path)`",
                    reading.word.name,
                    FieldPath(field.to_vec(), None).spelt()
                );
                self.mistake(syn::Error::new_spanned(expr, message));
            }
        }
        true
    }

    /// Reads a `drop` inside of a variant, if it is one.
    pub(super) fn dropped_in_variant(
        &mut self,
        reading: Reading<'_>,
        path: &FieldPath,
        reason: &LitStr,
    ) -> bool {
        let Some((field, variant, name)) = in_variant(path) else {
            return false;
        };
        if let Some(written) = &path.1 {
            let (name, ty) = (name.clone(), Box::new(written.ty.clone()));
            self.change_member(
                reading,
                (field, variant),
                MemberChange::Dropped {
                    name,
                    ty,
                    reason: reason.clone(),
                },
            );
            return true;
        }
        let message = format!(
            "`drop` does not say what the variant stored as `{name}`\nhelp: write its type: `drop({}: …, {:?})`",
            path.spelt(),
            reason.value()
        );
        self.mistake(syn::Error::new_spanned(name, message));
        true
    }

    /// Reads a `convert` of a scalar inside of a variant, if it is one.
    pub(super) fn converted_in_variant(
        &mut self,
        reading: Reading<'_>,
        target: &FieldPath,
        empty: &'static str,
    ) -> bool {
        let Some((field, variant, name)) = in_variant(target) else {
            return false;
        };
        if let Some(written) = &target.1 {
            let (name, ty) = (name.clone(), Box::new(written.ty.clone()));
            let change = MemberChange::Converted { name, ty, empty };
            self.change_member(reading, (field, variant), change);
            return true;
        }
        let message = format!(
            "`convert` does not say what the variant stored as `{name}`\nhelp: write its type: `convert({}: …)`",
            target.spelt()
        );
        self.mistake(syn::Error::new_spanned(name, message));
        true
    }

    /// The error that other operators do not work inside of a variant, if a target is there.
    pub(super) fn refuses_variant(&mut self, reading: Reading<'_>, target: &FieldPath) -> bool {
        let Some((field, _, member)) = in_variant(target) else {
            return false;
        };
        let message = format!(
            "`{}` does not work inside of a variant\nhelp: there are `rename`, `drop`, `set`, `default` of null and `convert` of scalars; for the rest write `convert({}: …, with = path)`",
            reading.word.name,
            FieldPath(field.to_vec(), None).spelt()
        );
        self.mistake(syn::Error::new_spanned(member, message));
        true
    }

    fn change_member(
        &mut self,
        reading: Reading<'_>,
        (field, variant): (&[Ident], &Ident),
        change: MemberChange,
    ) {
        let change = VariantChange::Member {
            variant: variant.clone(),
            change,
        };
        self.change_variants(reading, FieldPath(field.to_vec(), None), vec![change]);
    }

    /// All changes of one field's variants are one operator, so that none sees what another one
    /// made.
    fn change_variants(
        &mut self,
        reading: Reading<'_>,
        target: FieldPath,
        changes: Vec<VariantChange>,
    ) {
        let Place { only_if, .. } = reading.place;
        let there = self
            .operators
            .entries
            .iter_mut()
            .find_map(|entry| match entry {
                Entry::Stage(stage)
                    if stage.only_if == only_if && stage.target.is_same(&target) =>
                {
                    match stage.operation.arguments.as_mut_slice() {
                        [Argument::Variants(there)] => Some(there),
                        _ => None,
                    }
                }
                Entry::Stage(_)
                | Entry::Drop { .. }
                | Entry::Notice { .. }
                | Entry::Carry { .. } => None,
            });
        match there {
            Some(there) => there.extend(changes),
            None => self.stage(
                reading,
                target,
                Operation::new(&VARIANTS, [Argument::Variants(changes)]),
            ),
        }
    }
}

/// The field, the variant and the member of a path into a variant.
fn in_variant(path: &FieldPath) -> Option<(&[Ident], &Ident, &Ident)> {
    let [field @ .., variant, member] = &path.0[..] else {
        return None;
    };
    let is_variant = name_of(variant).starts_with(char::is_uppercase);
    (is_variant && !field.is_empty()).then_some((field, variant, member))
}

/// One change.
fn change(reading: Reading<'_>, input: ParseStream<'_>) -> syn::Result<VariantChange> {
    if input.peek(Ident::peek_any) && input.peek2(token::Paren) {
        let word: Ident = input.call(Ident::parse_any)?;
        let inside;
        parenthesized!(inside in input);
        let change = match word.to_string().as_str() {
            "add" => Some(added(reading, &word, &inside)),
            "drop" => Some(dropped(reading, &word, &inside)),
            _ => None,
        };
        // After a mistake the rest is left, and would be another.
        inside.parse::<TokenStream>()?;
        if let Some(change) = change {
            return change;
        }
        let message = format!(
            "`variants` has no `{word}(…)`\nhelp: write `\"old\" => \"new\"`, `drop(\"old\", \"why\", as = \"other\")` or `add(\"new\")`"
        );
        return Err(syn::Error::new_spanned(word, message));
    }
    let from = reading.text(input, "the stored name of the variant")?;
    reading.arrow(input, &from, "the old name and the new one")?;
    let to = reading.text(input, "the new name")?;
    if from.value() == to.value() {
        let message = "the variant is renamed to itself\nhelp: leave it out; a variant of the same name is carried";
        return Err(syn::Error::new_spanned(to, message));
    }
    Ok(VariantChange::Renamed { from, to })
}

/// `"New"`
fn added(
    reading: Reading<'_>,
    word: &Ident,
    inside: ParseStream<'_>,
) -> syn::Result<VariantChange> {
    let name = reading.text(inside, "the stored name of the variant")?;
    end(word, inside)?;
    Ok(VariantChange::Added(name))
}

/// `"Gone": Content, "why", as = "other"`
fn dropped(
    reading: Reading<'_>,
    word: &Ident,
    inside: ParseStream<'_>,
) -> syn::Result<VariantChange> {
    const OPEN: &str = ", as = \"other\"";
    let name = reading.text(inside, "the stored name of the variant")?;
    let ty = inside
        .parse::<Option<Token![:]>>()?
        .map(|_| inside.parse::<Type>())
        .transpose()?
        .map(Box::new);
    // With what is written already, because the help is typed in its place.
    let form = |reason: &str, rest: &str| {
        let name = name.value();
        let of = ty
            .as_ref()
            .map_or_else(String::new, |ty| format!(": {}", ty.to_token_stream()));
        format!("help: write `drop({name:?}{of}, {reason:?}{rest})`")
    };
    if inside.parse::<Option<Token![,]>>()?.is_none() || !inside.peek(LitStr) {
        let rest = if inside.peek(Token![as]) {
            format!(", {}", inside.parse::<TokenStream>()?)
        } else {
            OPEN.to_owned()
        };
        let message = format!(
            "the drop of the variant does not say why\n{}",
            form("why", &rest)
        );
        return Err(syn::Error::new_spanned(word, message));
    }
    let reason: LitStr = inside.parse()?;
    if !reason.value().contains(char::is_alphanumeric) {
        let written = inside.parse::<TokenStream>()?.to_string();
        let rest = if written.is_empty() {
            OPEN
        } else {
            written.as_str()
        };
        return Err(syn::Error::new_spanned(
            reason,
            format!("the reason is missing\n{}", form("why", rest)),
        ));
    }
    let missing = format!(
        "the drop of the variant does not say what stored values become\n{}",
        form(&reason.value(), OPEN)
    );
    if inside.parse::<Option<Token![,]>>()?.is_none()
        || inside.parse::<Option<Token![as]>>()?.is_none()
    {
        return Err(syn::Error::new_spanned(word, missing));
    }
    inside
        .parse::<Token![=]>()
        .map_err(|_| syn::Error::new_spanned(word, &missing))?;
    let becomes = reading.text(inside, "the variant that stored values become")?;
    inside.parse::<Option<Token![,]>>()?;
    end(word, inside)?;
    Ok(VariantChange::Dropped {
        name,
        ty,
        reason,
        becomes,
    })
}

fn end(word: &Ident, inside: ParseStream<'_>) -> syn::Result<()> {
    if inside.is_empty() {
        return Ok(());
    }
    let rest = inside.parse::<TokenStream>()?;
    let message = format!("`{word}` has more than it takes\nhelp: remove this");
    Err(syn::Error::new_spanned(rest, message))
}
