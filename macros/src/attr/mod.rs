//! What the user wrote, with its places: one type for each helper attribute. Nothing is checked across options here.

mod doc;
mod list;
mod spec;
mod upgrade_from;
mod value;

use darling::FromMeta;
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Path};

pub(crate) use self::doc::description;
pub(crate) use self::spec::{ALL, ATTRIBUTE, BLOCK, OBJECT, RESOURCE, Spec, UPGRADE_FROM};
pub(crate) use self::upgrade_from::{RawEdge, edges};
pub(crate) use self::value::{Count, CratePath, Flag, Given, ItemPath, Version, spelt};
use crate::errors::Errors;

/// `#[resource(…)]`
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct ResourceOptions {
    pub(crate) version: Option<Given<Version>>,
    pub(crate) type_name: Option<Given<LitStr>>,
    pub(crate) oldest: Option<Given<Version>>,
    pub(crate) deprecated: Option<Given<LitStr>>,
    #[darling(rename = "crate")]
    pub(crate) crate_path: Option<Given<CratePath>>,
}

/// `#[object(…)]`
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct ObjectOptions {
    #[darling(rename = "crate")]
    pub(crate) crate_path: Option<Given<CratePath>>,
}

/// `#[attribute(…)]`
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct AttributeOptions {
    pub(crate) required: Option<Given<Flag>>,
    pub(crate) optional: Option<Given<Flag>>,
    pub(crate) computed: Option<Given<Flag>>,
    pub(crate) sensitive: Option<Given<Flag>>,
    pub(crate) write_only: Option<Given<Flag>>,
    pub(crate) requires_replace: Option<Given<Flag>>,
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) deprecated: Option<Given<LitStr>>,
    pub(crate) set: Option<Given<Flag>>,
    pub(crate) as_string: Option<Given<Flag>>,
    pub(crate) with: Option<Given<ItemPath>>,
}

/// `#[block(…)]`
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
pub(crate) struct BlockOptions {
    pub(crate) min: Option<Given<Count>>,
    pub(crate) max: Option<Given<Count>>,
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) deprecated: Option<Given<LitStr>>,
}

/// The options of all attributes of one name.
#[derive(Debug)]
pub(crate) struct Options<T> {
    pub(crate) options: T,
    /// The name in the first of the attributes; `None` if there is none.
    pub(crate) path: Option<Path>,
    /// Whether every part was understood; if not, what seems to be missing may only be misspelt.
    pub(crate) complete: bool,
}

/// Reads every attribute that `spec` describes as if it were one.
pub(crate) fn options<T: FromMeta + Default>(spec: &Spec, attributes: &[Attribute], errors: &mut Errors) -> Options<T> {
    let mut complete = true;
    let listed = list::read::<T>(spec, named(spec, attributes), |_| false, errors);
    for value in listed.bare {
        let message = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if spec.has("version") => {
                format!("this number has no name\nhelp: write `version = {number}`")
            }
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if spec.has("type_name") => {
                format!("this text has no name\nhelp: write `type_name = {}`", text.to_token_stream())
            }
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if spec.has("name") => {
                format!("this text has no name\nhelp: write `name = {}`", text.to_token_stream())
            }
            _ => format!("`#[{}]` takes its options by name\nhelp: they are {}", spec.name, spec.listed()),
        };
        errors.push(value, message);
        complete = false;
    }
    Options {
        options: listed.options,
        path: named(spec, attributes).next().map(|attribute| attribute.path().clone()),
        complete: complete && listed.complete,
    }
}

fn named<'a>(spec: &Spec, attributes: &'a [Attribute]) -> impl Iterator<Item = &'a Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident(spec.name))
}

#[cfg(test)]
mod tests {
    use darling::ast::NestedMeta;
    use syn::parse_quote;

    use super::*;

    /// Whether darling takes each of the options that messages name.
    fn takes_its_options<T: FromMeta>(spec: &Spec) {
        for option in spec.options {
            let item: NestedMeta = syn::parse_str(option).unwrap();
            assert!(T::from_list(&[item]).is_ok(), "`{option}` of `{}`", spec.name);
        }
    }

    #[test]
    fn every_option_that_messages_name_is_read() {
        takes_its_options::<ResourceOptions>(&RESOURCE);
        takes_its_options::<ObjectOptions>(&OBJECT);
        takes_its_options::<AttributeOptions>(&ATTRIBUTE);
        takes_its_options::<BlockOptions>(&BLOCK);
        takes_its_options::<upgrade_from::UpgradeFromOptions>(&UPGRADE_FROM);
    }

    #[test]
    fn several_attributes_are_read_as_one() {
        let mut errors = Errors::default();
        let attributes: Vec<Attribute> = vec![parse_quote!(#[resource(version = 2)]), parse_quote!(#[resource(crate = ::a)])];
        let read = options::<ResourceOptions>(&RESOURCE, &attributes, &mut errors);
        assert!(read.complete && errors.is_empty());
        assert!(read.options.version.is_some() && read.options.crate_path.is_some());
    }

    #[test]
    fn one_mistake_hides_no_other() {
        let mut errors = Errors::default();
        let attribute: Attribute = parse_quote!(#[resource(, versoin = 2, "thing", type_name =, version = 1 oldest = 0, 7)]);
        let read = options::<ResourceOptions>(&RESOURCE, &[attribute], &mut errors);
        assert!(!read.complete);
        let mut messages = errors.messages();
        messages.sort();
        assert_eq!(
            messages,
            [
                "`#[resource]` has no option `versoin`\nhelp: did you mean `version`?",
                "`type_name` has no value after the `=`",
                "there is no comma before `oldest`\nhelp: write one between two options",
                "this comma has no option before it\nhelp: remove it",
                "this number has no name\nhelp: write `version = 7`",
                "this text has no name\nhelp: write `type_name = \"thing\"`",
            ]
        );
    }
}
