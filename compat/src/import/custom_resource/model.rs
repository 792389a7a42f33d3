//! The structs of a custom resource.

use std::fmt::Write as _;

use super::shape::{Kind, Member, Node};
use crate::import::model::docs;
use crate::import::names::{self, Structs};

/// The text of structs, those of nested objects behind the one that has them.
#[derive(Debug, Default)]
pub(super) struct Model {
    structs: Structs,
    objects: Vec<String>,
}

impl Model {
    /// The struct of a document, and those of its objects. `head` are the lines above it, `wanted`
    /// begins the names of objects.
    pub(super) fn document(
        &mut self,
        name: &str,
        wanted: &str,
        node: &Node,
        head: &[String],
    ) -> String {
        let name = self.structs.name(name);
        let mut text = documented(&node.description, &name);
        text += "#[derive(Debug, Clone, PartialEq, Document)]\n";
        for line in head {
            text += line;
            text.push('\n');
        }
        let fields = if let Kind::Object { members, is_open } = &node.kind {
            self.fields(wanted, members, *is_open)
        } else {
            String::new()
        };
        let _ = writeln!(text, "pub struct {name} {{\n{fields}}}");
        for object in self.objects.drain(..) {
            text.push('\n');
            text += &object;
        }
        text
    }

    fn fields(&mut self, owner: &str, members: &[Member], is_open: bool) -> String {
        let mut text = String::new();
        let mut fields = Structs::default();
        for member in members {
            let (wanted, mut is_renamed) = names::stored(&member.name);
            let field = fields.name(&wanted);
            is_renamed |= field != wanted;
            text += &self.field(owner, member, &field, is_renamed);
        }
        if is_open {
            let rest = fields.name("rest");
            let _ = writeln!(
                text,
                "    /// What no field has.\n    #[attribute(flatten)]\n    pub {rest}: std::collections::BTreeMap<String, serde_json::Value>,"
            );
        }
        text
    }

    fn field(&mut self, owner: &str, member: &Member, field: &str, is_renamed: bool) -> String {
        let Member { name, node, .. } = member;
        let wanted = format!("{owner}{}", names::camel(&names::snake(name)));
        let mut text = docs(&node.description, "    ");
        for lost in &node.lost {
            let _ = writeln!(text, "    // No model has {}.", line(lost));
        }
        let default = node.rust_default().filter(|_| !node.is_json());
        if let (None, Some(value)) = (&default, &node.default) {
            let value = line(&value.to_string());
            let _ = writeln!(
                text,
                "    // The default is `{value}`: `#[attribute(default = …)]` and a type without `Option` say so."
            );
        }
        let mut options = Vec::new();
        options.extend(is_renamed.then(|| format!("name = {name:?}")));
        options.extend(node.is_json().then(|| "json".to_owned()));
        options.extend(default.map(|it| {
            if node.nullable {
                format!("default = Some({it})")
            } else {
                format!("default = {it}")
            }
        }));
        if !options.is_empty() {
            let _ = writeln!(text, "    #[attribute({})]", options.join(", "));
        }
        let nullable = node.nullable.then_some("nullable");
        let limits: Vec<&str> = nullable
            .into_iter()
            .chain(node.options.iter().map(String::as_str))
            .collect();
        if !limits.is_empty() {
            let _ = writeln!(text, "    #[kube({})]", limits.join(", "));
        }
        let ty = node.rust(&mut |members, is_open| self.object(&wanted, members, is_open));
        let ty = if member.is_always_there() {
            ty
        } else {
            format!("Option<{ty}>")
        };
        let _ = writeln!(text, "    pub {field}: {ty},");
        text
    }

    /// The struct of nested objects, by its name.
    fn object(&mut self, wanted: &str, members: &[Member], is_open: bool) -> String {
        let name = self.structs.name(wanted);
        let place = self.objects.len();
        self.objects.push(String::new());
        let fields = self.fields(&name, members, is_open);
        let mut text = documented("", &name);
        let _ = writeln!(
            text,
            "#[derive(Debug, Clone, PartialEq, Document)]\n#[document(rename_all = \"camelCase\")]\npub struct {name} {{\n{fields}}}"
        );
        if let Some(object) = self.objects.get_mut(place) {
            *object = text;
        }
        name
    }
}

/// The longest part of a schema that a comment repeats.
const LONGEST: usize = 120;

/// A part of the definition as it is repeated in a comment: one line, without marks that turn its
/// direction.
pub(super) fn line(text: &str) -> String {
    let shown: String = docs(&text.replace(['\n', '\r'], " "), "")
        .trim_start_matches("///")
        .trim()
        .chars()
        .take(LONGEST)
        .collect();
    if shown.chars().count() == LONGEST {
        format!("{shown}…")
    } else {
        shown
    }
}

/// A comment above a struct.
fn documented(description: &str, name: &str) -> String {
    let docs = docs(description, "");
    if docs.is_empty() {
        format!("/// `{name}`.\n")
    } else {
        docs
    }
}
