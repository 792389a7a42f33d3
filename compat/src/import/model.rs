//! The structs of one schema.

use std::fmt::Write as _;

use upstate::schema::{Attribute, Block, NestedBlock, Nesting, Presence, Schema, Shape, Type};

use super::names::{self, Structs};

/// The text of a model: its structs, and what they need to be imported.
#[derive(Debug, Default)]
pub(super) struct Model {
    /// The structs of nested objects, each behind the one that has it.
    objects: Vec<String>,
    structs: Structs,
    /// The names of the objects around the field.
    path: Vec<String>,
    /// The reason why there can be no such model.
    refused: Option<String>,
}

/// One field of a struct.
struct Written {
    attributes: Vec<String>,
    notes: Vec<&'static str>,
    ty: String,
}

/// The paths of fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    /// In the resource itself.
    Root,
    /// In an object.
    Object,
    /// Elements are compared.
    Set,
}

impl In {
    /// Inside of a field of it, the elements of a set or not.
    fn with(self, is_set: bool) -> Self {
        if is_set || self == Self::Set {
            Self::Set
        } else {
            Self::Object
        }
    }
}

impl Model {
    /// The struct of the resource, and those of its objects; or why no model can be written. `head`
    /// are the lines above it.
    pub(super) fn of(type_name: &str, schema: &Schema, head: &[String]) -> Result<String, String> {
        let mut model = Self::default();
        let name = model.structs.name(&names::of_type(type_name));
        let mut text = docs(schema.description(), "");
        if text.is_empty() {
            text = format!("/// `{type_name}`.\n");
        }
        text += "#[derive(Debug, Clone, PartialEq, Resource)]\n";
        for line in head {
            text += line;
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "pub struct {name} {{\n{}}}",
            model.fields(&name, schema.block(), In::Root)
        );
        for object in &model.objects {
            text.push('\n');
            text += object;
        }
        match model.refused {
            Some(why) => Err(why),
            None => Ok(imports(&text) + &text),
        }
    }

    /// The first reason counts.
    fn refuse(&mut self, why: String) {
        let path = self.path.join(".");
        let why = if path.is_empty() {
            why
        } else {
            format!("{why} (at `{}`)", path.escape_debug())
        };
        self.refused.get_or_insert(why);
    }

    fn fields(&mut self, owner: &str, block: &Block, inside: In) -> String {
        let mut text = String::new();
        let names = block
            .attributes()
            .iter()
            .map(Attribute::name)
            .chain(block.blocks().iter().map(NestedBlock::name));
        if let Some(why) = names
            .into_iter()
            .find_map(|name| names::refused(name, inside == In::Root))
        {
            self.refuse(why);
        }
        for attribute in block.attributes() {
            self.path.push(attribute.name().to_owned());
            let written = self.attribute(owner, attribute, inside);
            self.path.pop();
            text += &field(attribute.name(), attribute.description(), written);
        }
        for nested in block.blocks() {
            self.path.push(nested.name().to_owned());
            let written = self.block(owner, nested, inside);
            self.path.pop();
            text += &field(nested.name(), nested.block().description(), written);
        }
        text
    }

    fn attribute(&mut self, owner: &str, attribute: &Attribute, inside: In) -> Written {
        let mut written = Written {
            attributes: Vec::new(),
            notes: Vec::new(),
            ty: String::new(),
        };
        match attribute.presence() {
            Presence::Required | Presence::Optional => {}
            Presence::Computed => written.attributes.push("computed".to_owned()),
            Presence::OptionalComputed => written
                .attributes
                .extend(["optional".to_owned(), "computed".to_owned()]),
        }
        for (holds, word) in [
            (attribute.is_sensitive(), "sensitive"),
            (attribute.is_write_only(), "write_only"),
        ] {
            written.attributes.extend(holds.then(|| word.to_owned()));
        }
        if attribute.deprecated().is_some() {
            written
                .notes
                .push("Deprecated; the schema document has no message.");
        }
        let wanted = format!("{owner}{}", names::camel(attribute.name()));
        let (ty, is_set) = match attribute.shape() {
            Shape::Plain(ty) => {
                if let Type::Set(element) = &**ty
                    && inside != In::Set
                {
                    (format!("Vec<{}>", self.ty(&wanted, element, In::Set)), true)
                } else {
                    (self.ty(&wanted, ty, inside), false)
                }
            }
            Shape::Nested(nested) => {
                let block = Block::new(nested.attributes().iter().cloned());
                let is_set = nested.nesting() == Nesting::Set;
                let object = self.object(&wanted, &block, inside.with(is_set));
                let ty = match nested.nesting() {
                    Nesting::Single => object,
                    Nesting::Set if inside == In::Set => format!("BTreeSet<{object}>"),
                    Nesting::List | Nesting::Set => format!("Vec<{object}>"),
                    Nesting::Map => format!("BTreeMap<String, {object}>"),
                };
                (ty, is_set && inside != In::Set)
            }
        };
        if is_set {
            written.attributes.push("set".to_owned());
        }
        written.ty = if attribute.presence() == Presence::Required && !attribute.is_write_only() {
            ty
        } else {
            format!("Option<{ty}>")
        };
        if written.ty.contains("Number") {
            written.notes.push("The schema document does not say whether a number is an integer: if it is, write `i64`.");
        }
        written
    }

    fn block(&mut self, owner: &str, nested: &NestedBlock, inside: In) -> Written {
        let wanted = format!("{owner}{}", names::camel(nested.name()));
        let is_set = nested.nesting() == Nesting::Set;
        let object = self.object(&wanted, nested.block(), inside.with(is_set));
        let ty = match nested.nesting() {
            Nesting::Single => format!("Option<{object}>"),
            Nesting::List => format!("Vec<{object}>"),
            Nesting::Set => format!("BTreeSet<{object}>"),
            Nesting::Map => format!("BTreeMap<String, {object}>"),
        };
        let mut counts = Vec::new();
        if matches!(nested.nesting(), Nesting::List | Nesting::Set) {
            for (word, count) in [("min", nested.min_items()), ("max", nested.max_items())] {
                counts.extend((count > 0).then(|| format!("{word} = {count}")));
            }
        }
        Written {
            attributes: vec![format!("block {}", counts.join(", "))],
            notes: Vec::new(),
            ty,
        }
    }

    /// The struct of nested objects, by its name.
    fn object(&mut self, wanted: &str, block: &Block, inside: In) -> String {
        let name = self.structs.name(wanted);
        let place = self.objects.len();
        self.objects.push(String::new());
        let derives = if inside == In::Set {
            "Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object"
        } else {
            "Debug, Clone, PartialEq, Object"
        };
        let mut text = docs(block.description(), "");
        if text.is_empty() {
            text = format!("/// A nested object: `{name}`.\n");
        }
        let fields = self.fields(&name, block, inside);
        let _ = writeln!(
            text,
            "#[derive({derives})]\npub struct {name} {{\n{fields}}}"
        );
        if let Some(object) = self.objects.get_mut(place) {
            *object = text;
        }
        name
    }

    fn ty(&mut self, wanted: &str, ty: &Type, inside: In) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::String => "String".to_owned(),
            Type::Number => "Number".to_owned(),
            Type::Dynamic => {
                if inside == In::Set {
                    self.refuse(
                        "a set holds values of any type, which no model can compare".to_owned(),
                    );
                }
                "Dynamic".to_owned()
            }
            Type::Json | Type::Union(_) => {
                self.refuse("any JSON or an enum with data, which only documents have".to_owned());
                "serde_json::Value".to_owned()
            }
            Type::List(element) => format!("Vec<{}>", self.ty(wanted, element, inside)),
            Type::Set(element) => format!("BTreeSet<{}>", self.ty(wanted, element, In::Set)),
            // The framework stores null for `{ a = null }`.
            Type::Map(element) => format!(
                "BTreeMap<String, Option<{}>>",
                self.ty(wanted, element, inside)
            ),
            Type::Tuple(elements) => {
                if !(1..=6).contains(&elements.len()) {
                    self.refuse(format!(
                        "a tuple of {} elements, and a model has tuples of one to six",
                        elements.len()
                    ));
                }
                let elements: Vec<String> = elements
                    .iter()
                    .map(|element| self.ty(wanted, element, inside))
                    .collect();
                format!("({},)", elements.join(", "))
            }
            Type::Object(fields) => {
                let attribute = |field: &upstate::schema::Field| {
                    Attribute::new(field.name(), field.ty().clone(), Presence::Optional)
                };
                self.object(wanted, &Block::new(fields.iter().map(attribute)), inside)
            }
        }
    }
}

/// A description as a comment, without what a comment cannot have: control characters, and marks
/// that turn the direction of text.
pub(super) fn docs(description: &str, indent: &str) -> String {
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut text = String::new();
    for line in description.trim().lines().map(str::trim) {
        let line: String = line
            .chars()
            .map(|letter| {
                if letter.is_control() || turns(letter) {
                    ' '
                } else {
                    letter
                }
            })
            .collect();
        let _ = writeln!(
            text,
            "{indent}///{}{line}",
            if line.is_empty() { "" } else { " " }
        );
    }
    text
}

fn field(name: &str, description: &str, written: Written) -> String {
    let Written {
        attributes,
        notes,
        ty,
    } = written;
    let (ident, renamed) = names::field(name);
    let mut text = docs(description, "    ");
    for note in notes {
        let _ = writeln!(text, "    // {note}");
    }
    let name = renamed.then(|| format!("name = {name:?}"));
    if let Some(counts) = attributes
        .first()
        .and_then(|first| first.strip_prefix("block "))
    {
        let all: Vec<&str> = name
            .as_deref()
            .into_iter()
            .chain((!counts.is_empty()).then_some(counts))
            .collect();
        let list = if all.is_empty() {
            String::new()
        } else {
            format!("({})", all.join(", "))
        };
        let _ = writeln!(text, "    #[block{list}]");
    } else {
        let all: Vec<&str> = attributes
            .iter()
            .map(String::as_str)
            .chain(name.as_deref())
            .collect();
        if !all.is_empty() {
            let _ = writeln!(text, "    #[attribute({})]", all.join(", "));
        }
    }
    let _ = writeln!(text, "    pub {ident}: {ty},");
    text
}

/// The names that the text uses.
fn imports(text: &str) -> String {
    let has = |word: &str| {
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .any(|found| found == word)
    };
    let used = |words: &[&'static str]| {
        words
            .iter()
            .copied()
            .filter(|word| has(word))
            .collect::<Vec<&'static str>>()
    };
    let standard = match used(&["BTreeMap", "BTreeSet"])[..] {
        [] => String::new(),
        [one] => format!("use std::collections::{one};\n\n"),
        ref both => format!("use std::collections::{{{}}};\n\n", both.join(", ")),
    };
    let ours = match used(&["Dynamic", "Number", "Object", "Resource"])[..] {
        [one] => format!("use upstate::{one};\n\n"),
        ref all => format!("use upstate::{{{}}};\n\n", all.join(", ")),
    };
    standard + &ours
}
