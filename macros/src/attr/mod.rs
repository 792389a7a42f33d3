//! Attributes as the user wrote them, with their places: one type for each helper attribute.
//! Nothing is checked across options here.

mod case;
mod checks;
mod doc;
pub(crate) mod document;
mod facts;
mod foreign;
#[cfg(feature = "kube")]
pub(crate) mod kube;
mod list;
pub(crate) mod operators;
mod options;
mod since;
mod spec;
mod upgraders;
mod value;

use darling::FromMeta;
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Path};

pub(crate) use self::case::Case;
pub(crate) use self::checks::{Checks, Length, Range, Values};
pub(crate) use self::doc::description;
pub(crate) use self::facts::{Allow, Behaviour, Deprecated, Fields, Texts, Word};
pub(crate) use self::foreign::{Foreign, foreign};
pub(crate) use self::options::{
    AttributeOptions, BlockOptions, CheckOptions, DocumentOptions, ObjectOptions, ResourceOptions,
    StringEnumOptions, ValueOptions,
};
pub(crate) use self::since::Since;
pub(crate) use self::spec::{
    ATTRIBUTE, BLOCK, DOCUMENT, MOVE_FROM, OBJECT, RESOURCE, STRING_ENUM, Spec, UPGRADE_FROM, VALUE,
};
pub(crate) use self::upgraders::{
    MadeStruct, RawKind, RawMove, RawUpgrader, Versions, When, moves, object_upgraders, upgraders,
};
pub(crate) use self::value::{Count, Flag, Given, Version, keys, spelt, value_of};
use crate::errors::Errors;

/// The options of all attributes of one name.
#[derive(Debug)]
pub(crate) struct Options<T> {
    pub(crate) given: T,
    /// The name in the first of the attributes; `None` if there is none.
    pub(crate) path: Option<Path>,
    /// True if every part was understood; if not, what seems to be missing may only be misspelt.
    pub(crate) complete: bool,
}

/// Reads every attribute that `spec` describes as if it were one.
pub(crate) fn options<T: FromMeta + Default>(
    spec: &Spec,
    attributes: &[Attribute],
    errors: &mut Errors,
) -> Options<T> {
    let mut complete = true;
    let listed = list::read::<T>(spec, named(spec, attributes), |_, _| false, errors);
    for value in listed.bare {
        let message = match &value {
            Expr::Lit(ExprLit {
                lit: Lit::Int(number),
                ..
            }) if spec.has("version") => {
                format!("this number has no name\nhelp: write `version = {number}`")
            }
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) if spec.has("type_name") => {
                format!(
                    "this string has no name\nhelp: write `type_name = {}`",
                    text.to_token_stream()
                )
            }
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) if spec.has("name") => {
                format!(
                    "this string has no name\nhelp: write `name = {}`",
                    text.to_token_stream()
                )
            }
            _ => format!(
                "`#[{}]` takes its options by name\nhelp: they are {}",
                spec.name,
                spec.listed()
            ),
        };
        errors.push(value, message);
        complete = false;
    }
    Options {
        given: listed.options,
        path: named(spec, attributes)
            .next()
            .map(|attribute| attribute.path().clone()),
        complete: complete && listed.complete,
    }
}

fn named<'a>(spec: &Spec, attributes: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident(spec.name))
}

#[cfg(test)]
mod tests {
    use darling::ast::NestedMeta;
    use syn::parse_quote;

    use super::*;

    /// True if darling takes each of the options that messages name.
    fn takes_its_options<T: FromMeta>(spec: &Spec) {
        for option in spec.options {
            let item: NestedMeta = syn::parse_str(option).unwrap();
            assert!(
                T::from_list(&[item]).is_ok(),
                "`{option}` of `{}`",
                spec.name
            );
        }
    }

    #[test]
    fn every_option_that_messages_name_is_read() {
        takes_its_options::<ResourceOptions>(&RESOURCE);
        takes_its_options::<ObjectOptions>(&OBJECT);
        takes_its_options::<AttributeOptions>(&ATTRIBUTE);
        takes_its_options::<BlockOptions>(&BLOCK);
        takes_its_options::<StringEnumOptions>(&STRING_ENUM);
        takes_its_options::<ValueOptions>(&VALUE);
        takes_its_options::<options::DeprecatedOptions>(&spec::DEPRECATED);
        takes_its_options::<options::BehaviourOptions>(&spec::BEHAVIOUR);
        takes_its_options::<options::AllowOptions>(&spec::ALLOW);
        takes_its_options::<CheckOptions>(&spec::EACH);
        takes_its_options::<CheckOptions>(&spec::KEYS);
        takes_its_options::<options::UpgradeFromOptions>(&UPGRADE_FROM);
        takes_its_options::<options::MoveFromOptions>(&MOVE_FROM);
    }

    #[test]
    fn several_attributes_are_read_as_one() {
        let mut errors = Errors::default();
        let attributes: Vec<Attribute> = vec![
            parse_quote!(#[resource(version = 2)]),
            parse_quote!(#[resource(crate = ::a)]),
        ];
        let read = options::<ResourceOptions>(&RESOURCE, &attributes, &mut errors);
        assert!(read.complete && errors.is_empty());
        assert!(read.given.version.is_some() && read.given.crate_path.is_some());
    }

    #[test]
    fn one_mistake_hides_no_other() {
        let mut errors = Errors::default();
        let attribute: Attribute = parse_quote!(#[resource(, versoin = 2, "thing", type_name =, version = 1 oldest = 0, 7)]);
        let read = options::<ResourceOptions>(&RESOURCE, &[attribute], &mut errors);
        assert!(!read.complete);
        let type_name = read.given.type_name.unwrap().value.unwrap_err();
        assert_eq!(
            type_name.to_string(),
            "`type_name` takes a string literal\nhelp: write `type_name = \"…\"`"
        );
        let mut messages = errors.messages();
        messages.sort();
        assert_eq!(
            messages,
            [
                "`#[resource]` has no option `versoin` [U0010]\nhelp: did you mean `version`?",
                "there is no comma before `oldest`\nhelp: write `, oldest`",
                "there is no option before this comma\nhelp: remove it",
                "this number has no name\nhelp: write `version = 7`",
                "this string has no name\nhelp: write `type_name = \"thing\"`",
            ]
        );
    }
}
