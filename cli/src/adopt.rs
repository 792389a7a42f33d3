//! Structs and enums of serde, rewritten as documents: derives and attributes change, every other
//! byte stays.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Path, Token};

use crate::rust_file::{Change, RustFile};

/// A struct that is a document by itself, and its type name.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    pub(crate) ident: String,
    pub(crate) type_name: String,
}

/// The new contents of a file, and what remains for its author.
#[derive(Debug)]
pub(crate) struct Adopted {
    pub(crate) text: String,
    /// The structs and enums that changed, in the order of the file.
    pub(crate) changed: Vec<String>,
    /// The line, and what to do there.
    pub(crate) remains: Vec<(usize, String)>,
}

/// Rewrites a file. With `keeps_serde`, serde's derives and attributes stay, which a document
/// reads.
///
/// # Errors
/// A sentence: the file is not Rust, or has no such struct, or it derives `Document` already.
pub(crate) fn adopt(text: &str, roots: &[Root], keeps_serde: bool) -> Result<Adopted, String> {
    let file = RustFile::parse(text)?;
    let mut adopter = Adopter {
        file: &file,
        roots,
        keeps_serde,
        changes: Vec::new(),
        changed: Vec::new(),
        adopted: Vec::new(),
        remains: Vec::new(),
    };
    adopter.visit_file(&file.syntax);
    let Adopter {
        changes,
        changed,
        adopted,
        remains,
        ..
    } = adopter;
    if let Some(missing) = roots.iter().find(|root| !changed.contains(&root.ident)) {
        let ident = &missing.ident;
        return Err(if adopted.contains(ident) {
            format!(
                "`{ident}` derives `Document` already; leave `--document {ident}={}` out to adopt the others",
                missing.type_name
            )
        } else {
            format!("no struct `{ident}` derives serde's traits there")
        });
    }
    Ok(Adopted {
        text: file.with(changes),
        changed,
        remains,
    })
}

struct Adopter<'a> {
    file: &'a RustFile<'a>,
    roots: &'a [Root],
    keeps_serde: bool,
    changes: Vec<Change>,
    changed: Vec<String>,
    /// The structs that derived `Document` before.
    adopted: Vec<String>,
    remains: Vec<(usize, String)>,
}

/// The place of a serde attribute, which decides what its options are called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Struct,
    Enum,
    Part,
}

impl Place {
    const fn attribute(self) -> &'static str {
        match self {
            Self::Struct => "document",
            Self::Enum => "union",
            Self::Part => "attribute",
        }
    }
}

impl<'ast> Visit<'ast> for Adopter<'_> {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if self.container(&item.attrs, &item.ident, Place::Struct) {
            for field in &item.fields {
                self.attributes(&field.attrs, Place::Part);
            }
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        if self.container(&item.attrs, &item.ident, Place::Enum) {
            for variant in &item.variants {
                self.attributes(&variant.attrs, Place::Part);
                for field in &variant.fields {
                    self.attributes(&field.attrs, Place::Part);
                }
            }
        }
        visit::visit_item_enum(self, item);
    }
}

impl Adopter<'_> {
    /// Changes the derives and attributes of a struct or enum. False if serde's traits are not
    /// derived for it.
    fn container(&mut self, attributes: &[Attribute], ident: &syn::Ident, place: Place) -> bool {
        let derives = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("derive"));
        let derives: Vec<(&Attribute, Vec<Path>)> =
            derives.map(|derive| (derive, paths(derive))).collect();
        let word = if place == Place::Enum {
            "Union"
        } else {
            "Document"
        };
        let is_word = |path: &Path| path.segments.last().is_some_and(|last| last.ident == word);
        if derives.iter().any(|(_, all)| all.iter().any(is_word)) {
            if place == Place::Struct {
                self.adopted.push(ident.to_string());
            }
            return false;
        }
        let mut of_serde = derives
            .into_iter()
            .filter(|(_, all)| all.iter().any(is_serde));
        let conditional = under_a_condition(attributes);
        let Some((derive, all)) = of_serde.next() else {
            if let Some(conditional) = conditional {
                self.remain(
                    conditional.span(),
                    format!("serde's traits are derived under a condition, so nothing was changed: derive `upstate::{word}`"),
                );
            }
            return false;
        };
        if let Some(conditional) = conditional.filter(|_| !self.keeps_serde) {
            self.remain(
                conditional.span(),
                "what serde derives under a condition lost its attributes, which are a document's now: remove it, or adopt the file as it was with `--keep-serde`".to_owned(),
            );
        }
        let kept = |all: &[Path]| -> Vec<String> {
            all.iter()
                .filter(|path| self.keeps_serde || !is_serde(path))
                .map(spelt)
                .collect()
        };
        let more: Vec<(&Attribute, Vec<String>)> =
            of_serde.map(|(derive, all)| (derive, kept(&all))).collect();
        let mut kept = kept(&all);
        kept.push(format!("upstate::{word}"));
        let root = self.roots.iter().find(|root| *ident == root.ident.as_str());
        let mut written = format!("#[derive({})]", kept.join(", "));
        if let Some(root) = root {
            let attribute = format!(
                "{}#[document(type_name = {:?})]",
                self.line_end(derive),
                root.type_name
            );
            written.push_str(&attribute);
        }
        if place == Place::Enum && root.is_some() {
            self.remain(
                ident.span(),
                "a document is a struct: put the enum into a field of one".to_owned(),
            );
        }
        self.rewrite(derive, &written);
        if !self.keeps_serde {
            for (derive, kept) in more {
                let written = if kept.is_empty() {
                    String::new()
                } else {
                    format!("#[derive({})]", kept.join(", "))
                };
                self.rewrite(derive, &written);
            }
            self.attributes(attributes, place);
        }
        self.changed.push(ident.to_string());
        true
    }

    fn attributes(&mut self, attributes: &[Attribute], place: Place) {
        if self.keeps_serde {
            return;
        }
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("serde"))
        {
            let Ok(options) =
                attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            else {
                continue;
            };
            let (mut own, mut serdes) = (Vec::new(), Vec::new());
            for option in options {
                match self.option(&option, place) {
                    Becomes::Own(text) => own.push(text),
                    Becomes::Serde => serdes.push(spelt(&option)),
                    Becomes::Nothing => {}
                }
            }
            let own =
                (!own.is_empty()).then(|| format!("#[{}({})]", place.attribute(), own.join(", ")));
            let serdes = (!serdes.is_empty()).then(|| format!("#[serde({})]", serdes.join(", ")));
            let written: Vec<String> = own.into_iter().chain(serdes).collect();
            self.rewrite(attribute, &written.join(self.line_end(attribute).as_str()));
        }
    }

    /// One of serde's options, as a document says it.
    fn option(&mut self, option: &Meta, place: Place) -> Becomes {
        let name = option.path().to_token_stream().to_string();
        let text = string(option);
        let assigned = |word: &str, value: &str| Becomes::Own(format!("{word} = {value}"));
        match (name.as_str(), text) {
            // It stays serde's, because upstate has it for enums only.
            ("tag", _) if place == Place::Struct => Becomes::Serde,
            ("rename", Some(text)) if place == Place::Part => {
                assigned("name", &format!("{text:?}"))
            }
            // Two cases in parentheses, one for each direction.
            ("rename_all" | "rename_all_fields", None) => self.for_each_direction(option, &name),
            ("default", Some(path)) => assigned("default", &format!("{path}()")),
            ("skip_serializing_if", Some(path)) => assigned("skip_if", &path),
            (
                "rename_all"
                | "rename_all_fields"
                | "alias"
                | "default"
                | "skip"
                | "flatten"
                | "other"
                | "untagged"
                | "tag"
                | "content"
                | "transparent"
                | "deny_unknown_fields"
                | "from"
                | "try_from"
                | "into",
                _,
            ) => Becomes::Own(spelt(option)),
            // These stay serde's, since a document's own words for them mean another kind of
            // function.
            ("with" | "serialize_with" | "deserialize_with", _) => Becomes::Serde,
            ("rename", _) if place != Place::Part => Becomes::Serde,
            ("expecting" | "bound" | "borrow" | "crate", _) => Becomes::Nothing,
            ("skip_serializing" | "skip_deserializing" | "rename", _) => {
                self.for_each_direction(option, &name)
            }
            _ => {
                self.remain(
                    option.span(),
                    format!("a document has nothing for serde's `{name}`"),
                );
                Becomes::Serde
            }
        }
    }

    /// An option that says another thing for reading than for writing.
    fn for_each_direction(&mut self, option: &Meta, name: &str) -> Becomes {
        let message = format!(
            "a document reads its own output, so `{name}` is for both directions: decide which it is"
        );
        self.remain(option.span(), message);
        Becomes::Serde
    }

    /// The end of a line, and the margin of an attribute.
    fn line_end(&self, attribute: &Attribute) -> String {
        format!(
            "{}{}",
            self.file.line_end,
            " ".repeat(attribute.pound_token.span.start().column)
        )
    }

    /// Rewrites an attribute, or removes it. Its comments go above it, because they are not tokens.
    fn rewrite(&mut self, attribute: &Attribute, written: &str) {
        let (range, lines) = (
            self.file.range(attribute.span()),
            self.file.line_of(attribute.span()),
        );
        let comments = self
            .file
            .comments(attribute.to_token_stream())
            .join(self.line_end(attribute).as_str());
        let change = match (comments.is_empty(), written.is_empty()) {
            (true, true) => (lines, String::new()),
            (true, false) => (range, written.to_owned()),
            // The end of its line follows, so none is written.
            (false, true) if lines != range => (range, comments),
            (false, true | false) => (
                range,
                format!("{comments}{}{written}", self.line_end(attribute)),
            ),
        };
        self.changes.push(change);
    }

    fn remain(&mut self, at: Span, what: String) {
        self.remains.push((self.file.line(at), what));
    }
}

enum Becomes {
    /// An option of upstate's own attribute.
    Own(String),
    /// It stays an option of serde, which a document reads.
    Serde,
    Nothing,
}

/// The paths in a derive.
fn paths(derive: &Attribute) -> Vec<Path> {
    let parsed = derive.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    parsed
        .map(|paths| paths.into_iter().collect())
        .unwrap_or_default()
}

/// The first attribute that derives serde's traits under a condition.
fn under_a_condition(attributes: &[Attribute]) -> Option<&Attribute> {
    let derives = |meta: &Meta| {
        let Meta::List(list) = meta else { return false };
        list.path.is_ident("derive")
            && list
                .parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
                .is_ok_and(|paths| paths.iter().any(is_serde))
    };
    attributes.iter().find(|attribute| {
        attribute.path().is_ident("cfg_attr")
            && attribute
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .is_ok_and(|all| all.iter().skip(1).any(derives))
    })
}

fn is_serde(path: &Path) -> bool {
    let known = |name: &syn::Ident| name == "Serialize" || name == "Deserialize";
    match path.segments.iter().collect::<Vec<_>>()[..] {
        [name] => known(&name.ident),
        [krate, name] => {
            (krate.ident == "serde" || krate.ident == "serde_derive") && known(&name.ident)
        }
        _ => false,
    }
}

/// The string that an option is given.
fn string(option: &Meta) -> Option<String> {
    match option {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        Meta::Path(_) | Meta::List(_) => None,
    }
}

/// Tokens as an author writes them in an attribute.
fn spelt(tokens: impl ToTokens) -> String {
    fn write(tokens: TokenStream, out: &mut String) {
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ',' => out.push_str(", "),
                TokenTree::Punct(punct) if punct.as_char() == '=' => out.push_str(" = "),
                TokenTree::Group(group) => {
                    out.push('(');
                    write(group.stream(), out);
                    out.push(')');
                }
                other => out.push_str(&other.to_string()),
            }
        }
    }
    let mut out = String::new();
    write(tokens.to_token_stream(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::{Root, adopt};

    const SERDE: &str = r#"use serde::{Deserialize, Serialize};

/// Settings.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    #[serde(rename = "w", alias = "width")]
    pub window_width: u32, // in pixels
    #[serde(default = "three", skip_serializing_if = "is_three")]
    pub retries: u32,
    #[serde(default, with = "as_text")]
    pub port: u16,
    #[serde(borrow)]
    pub name: String,
    #[serde(skip_serializing)]
    pub secret: String,
    pub theme: Theme,
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, serde_json::Value>,
}

mod inner {
    #[derive(serde::Serialize, serde::Deserialize, PartialEq)]
    #[serde(tag = "kind", rename_all = "kebab-case")]
    pub enum Theme {
        Plain,
        #[serde(rename = "own")]
        Custom { #[serde(rename = "a")] accent: String },
    }
}

#[derive(Debug)]
struct Other {
    #[serde(rename = "not ours")]
    name: String,
}
"#;

    fn root() -> Root {
        Root {
            ident: "Settings".to_owned(),
            type_name: "app.settings".to_owned(),
        }
    }

    #[test]
    fn derives_and_attributes_are_those_of_documents() {
        let adopted = adopt(SERDE, &[root()], false).unwrap();
        let expected = r#"use serde::{Deserialize, Serialize};

/// Settings.
#[derive(Debug, Clone, upstate::Document)]
#[document(type_name = "app.settings")]
#[document(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    #[attribute(name = "w", alias = "width")]
    pub window_width: u32, // in pixels
    #[attribute(default = three(), skip_if = is_three)]
    pub retries: u32,
    #[attribute(default)]
    #[serde(with = "as_text")]
    pub port: u16,
    pub name: String,
    #[serde(skip_serializing)]
    pub secret: String,
    pub theme: Theme,
    #[attribute(flatten)]
    rest: std::collections::BTreeMap<String, serde_json::Value>,
}

mod inner {
    #[derive(PartialEq, upstate::Union)]
    #[union(tag = "kind", rename_all = "kebab-case")]
    pub enum Theme {
        Plain,
        #[attribute(name = "own")]
        Custom { #[attribute(name = "a")] accent: String },
    }
}

#[derive(Debug)]
struct Other {
    #[serde(rename = "not ours")]
    name: String,
}
"#;
        assert_eq!(adopted.text, expected);
        assert_eq!(adopted.changed, ["Settings", "Theme"]);
        let remains = "a document reads its own output, so `skip_serializing` is for both directions: decide which it is";
        assert_eq!(adopted.remains, [(15, remains.to_owned())]);
        // The derives are there, so that nothing is left to do.
        let again = adopt(&adopted.text, &[], false).unwrap();
        assert_eq!((again.text, again.changed), (adopted.text, vec![]));
    }

    #[test]
    fn serde_may_stay() {
        let adopted = adopt(SERDE, &[root()], true).unwrap();
        let mut expected = SERDE.replace(
            "#[derive(Debug, Clone, Serialize, Deserialize)]",
            "#[derive(Debug, Clone, Serialize, Deserialize, upstate::Document)]\n#[document(type_name = \"app.settings\")]",
        );
        expected = expected.replace(
            "serde::Serialize, serde::Deserialize, PartialEq)",
            "serde::Serialize, serde::Deserialize, PartialEq, upstate::Union)",
        );
        assert_eq!(adopted.text, expected);
        assert!(adopted.remains.is_empty());
        assert!(adopt(&adopted.text, &[], true).unwrap().changed.is_empty());
    }

    #[test]
    fn all_derives_of_serde_count() {
        const APART: &str = r#"#[derive(Clone)]
#[derive(Serialize)]
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings { window_width: u32 }

#[derive(Serialize)] #[derive(Deserialize, PartialEq)] enum Theme { Plain }

#[derive(Serialize, Deserialize)]
#[derive(upstate::Document)]
#[serde(default)]
struct Done { width: u32 }
"#;
        let adopted = adopt(APART, &[root()], false).unwrap();
        let expected = r#"#[derive(Clone)]
#[derive(upstate::Document)]
#[document(type_name = "app.settings")]
#[document(rename_all = "camelCase")]
struct Settings { window_width: u32 }

#[derive(upstate::Union)] #[derive(PartialEq)] enum Theme { Plain }

#[derive(Serialize, Deserialize)]
#[derive(upstate::Document)]
#[serde(default)]
struct Done { width: u32 }
"#;
        assert_eq!(adopted.text, expected);
        assert_eq!(adopted.changed, ["Settings", "Theme"]);
        let kept = adopt(APART, &[root()], true).unwrap().text;
        let expected = APART
            .replacen(
                "#[derive(Serialize)]",
                "#[derive(Serialize, upstate::Document)]\n#[document(type_name = \"app.settings\")]",
                1,
            )
            .replace("#[derive(Serialize)] #", "#[derive(Serialize, upstate::Union)] #");
        assert_eq!(kept, expected);
    }

    #[test]
    fn derives_under_a_condition_are_left_to_the_author() {
        const CONDITIONAL: &str = r#"#[derive(Serialize)]
#[cfg_attr(test, derive(Debug, Deserialize))]
#[serde(rename_all = "camelCase")]
struct Settings { window_width: u32 }

#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
enum Theme { Plain }

#[cfg_attr(test, derive(Debug))]
#[derive(Deserialize)]
struct Other;
"#;
        let adopted = adopt(CONDITIONAL, &[root()], false).unwrap();
        let expected = r#"#[derive(upstate::Document)]
#[document(type_name = "app.settings")]
#[cfg_attr(test, derive(Debug, Deserialize))]
#[document(rename_all = "camelCase")]
struct Settings { window_width: u32 }

#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
enum Theme { Plain }

#[cfg_attr(test, derive(Debug))]
#[derive(upstate::Document)]
struct Other;
"#;
        assert_eq!(adopted.text, expected);
        let lost = "what serde derives under a condition lost its attributes, which are a document's now: remove it, or adopt the file as it was with `--keep-serde`";
        let unchanged = "serde's traits are derived under a condition, so nothing was changed: derive `upstate::Union`";
        assert_eq!(
            adopted.remains,
            [(2, lost.to_owned()), (6, unchanged.to_owned())]
        );
        let kept = adopt(CONDITIONAL, &[root()], true).unwrap();
        assert_eq!(kept.remains, [(6, unchanged.to_owned())]);
    }

    #[test]
    fn comments_inside_of_attributes_go_above_them() {
        const COMMENTED: &str = r#"#[derive(
    Debug, // in logs
    Serialize, /* to save */ Deserialize,
)]
#[serde(
    // As the editor has it.
    rename_all = "camelCase", /* "//" */
)]
struct Settings {
    #[serde(
        borrow // not ours
    )]
    name: String,
    #[serde(bound = "/* no comment */")]
    width: u32,
    #[serde(default /* zero */)] height: u32,
}
"#;
        let adopted = adopt(COMMENTED, &[root()], false).unwrap();
        let expected = r#"// in logs
/* to save */
#[derive(Debug, upstate::Document)]
#[document(type_name = "app.settings")]
// As the editor has it.
/* "//" */
#[document(rename_all = "camelCase")]
struct Settings {
    // not ours
    name: String,
    width: u32,
    /* zero */
    #[attribute(default)] height: u32,
}
"#;
        assert_eq!(adopted.text, expected);
        let kept = adopt(COMMENTED, &[root()], true).unwrap().text;
        let begin = "// in logs\n/* to save */\n#[derive(Debug, Serialize, Deserialize, upstate::Document)]\n#[document(type_name = \"app.settings\")]\n";
        assert_eq!(
            kept,
            format!(
                "{begin}{}",
                &COMMENTED[COMMENTED.find("#[serde").unwrap()..]
            )
        );
    }

    #[test]
    fn cases_for_each_direction_are_left_to_the_author() {
        let text = "#[derive(Serialize, Deserialize)]\n#[serde(rename_all(serialize = \"camelCase\", deserialize = \"snake_case\"))]\nstruct Settings { width: u32 }\n";
        let adopted = adopt(text, &[root()], false).unwrap();
        assert_eq!(
            adopted.text,
            text.replace(
                "#[derive(Serialize, Deserialize)]",
                "#[derive(upstate::Document)]\n#[document(type_name = \"app.settings\")]"
            )
        );
        let message = "a document reads its own output, so `rename_all` is for both directions: decide which it is";
        assert_eq!(adopted.remains, [(2, message.to_owned())]);
    }

    #[test]
    fn the_tag_of_a_struct_stays_serdes() {
        let tagged = "#[derive(Serialize, Deserialize)]\n#[serde(tag = \"kind\", default)]\nstruct Settings { width: u32 }\n";
        assert_eq!(
            adopt(tagged, &[root()], false).unwrap().text,
            "#[derive(upstate::Document)]\n#[document(type_name = \"app.settings\")]\n#[document(default)]\n#[serde(tag = \"kind\")]\nstruct Settings { width: u32 }\n"
        );
    }

    #[test]
    fn a_file_without_the_struct_is_refused_as_a_whole() {
        for (text, problem) in [
            (
                "struct Settings;",
                "no struct `Settings` derives serde's traits there",
            ),
            (
                "#[derive(Serialize, Deserialize, upstate::Document)]\nstruct Settings;",
                "`Settings` derives `Document` already; leave `--document Settings=app.settings` out to adopt the others",
            ),
            ("struct {", "not read as Rust"),
        ] {
            let error = adopt(text, &[root()], false).unwrap_err();
            assert!(error.starts_with(problem), "{error}");
        }
        let windows = adopt(
            "\u{feff}#[derive(Serialize)]\r\nstruct Settings(u8);\r\n",
            &[root()],
            false,
        )
        .unwrap();
        assert_eq!(
            windows.text,
            "\u{feff}#[derive(upstate::Document)]\r\n#[document(type_name = \"app.settings\")]\r\nstruct Settings(u8);\r\n"
        );
    }
}
