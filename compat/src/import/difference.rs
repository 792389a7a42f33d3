//! The changes of a release, as the operators of an upgrader: a proposal, as only the author knows
//! what was renamed.

use upstate::schema::{Attribute, Block, NestedBlock, Nesting, Presence, Shape, Type};

use super::names;

/// Operators from the earlier shape to the later one, one for each line, with what is to be checked
/// behind them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) operators: Vec<String>,
    /// Changes that no operator can say without the author: then the version is refused.
    pub(super) open: Vec<String>,
    /// Facts of the earlier version that the model does not repeat.
    pub(super) notes: Vec<String>,
}

/// The least likeness of the names of one field.
const ALIKE: f64 = 0.75;

impl Proposal {
    pub(super) fn between(before: &Block, now: &Block, release: &str) -> Self {
        let mut proposal = Self::default();
        proposal.block(before, now, "", release);
        proposal
    }

    fn block(&mut self, before: &Block, now: &Block, path: &str, release: &str) {
        let named = |name: &str| names::field(name).0;
        let gone = names::prior;
        let mut lost: Vec<&Attribute> = before
            .attributes()
            .iter()
            .filter(|attribute| !has(now, attribute.name()))
            .collect();
        let mut gained: Vec<&Attribute> = now
            .attributes()
            .iter()
            .filter(|attribute| !has(before, attribute.name()))
            .collect();
        let keyed = |attributes: &[&Attribute]| -> Vec<(String, (Type, bool))> {
            let key = |attribute: &Attribute| {
                (
                    attribute.implied_type(),
                    attribute.presence() == Presence::Required,
                )
            };
            attributes
                .iter()
                .map(|attribute| (attribute.name().to_owned(), key(attribute)))
                .collect()
        };
        for (old, new) in pairs(&keyed(&lost), &keyed(&gained)) {
            self.operators.push(format!(
                "rename({path}{} => {path}{}), // check",
                gone(&old),
                named(&new)
            ));
            lost.retain(|attribute| attribute.name() != old);
            gained.retain(|attribute| attribute.name() != new);
        }
        for attribute in &gained {
            let field = named(attribute.name());
            if attribute.presence() == Presence::Required {
                self.open.push(format!("`{path}{field}` is new and required: `set({path}{field} = …)` gives its initial value"));
            } else {
                self.operators.push(format!("set({path}{field} = null),"));
            }
        }
        for attribute in lost {
            let typed = typed(attribute, path, &gone(attribute.name()));
            let likely: Vec<String> = gained
                .iter()
                .filter(|new| new.implied_type() == attribute.implied_type())
                .map(|new| format!("`{path}{}`", named(new.name())))
                .collect();
            let check = if likely.is_empty() {
                String::new()
            } else {
                format!(" // check: was it renamed? {}", likely.join(", "))
            };
            self.operators.push(format!(
                "drop({typed}, {:?}),{check}",
                format!("release {release} no longer has it")
            ));
        }
        for attribute in now.attributes() {
            if let Some(earlier) = before
                .attributes()
                .iter()
                .find(|earlier| earlier.name() == attribute.name())
            {
                self.changed(earlier, attribute, path, release);
            }
        }
        for nested in now.blocks() {
            match before
                .blocks()
                .iter()
                .find(|earlier| earlier.name() == nested.name())
            {
                Some(earlier) => self.nested(earlier, nested, path, release),
                None if has(before, nested.name()) => self.retyped(&named(nested.name()), path),
                None => {
                    let (field, empty) = (named(nested.name()), empty(nested.nesting()));
                    self.operators
                        .push(format!("set({path}{field} = {empty}),"));
                }
            }
        }
        for nested in before
            .blocks()
            .iter()
            .filter(|nested| !has(now, nested.name()))
        {
            let (field, ty) = (gone(nested.name()), block_type(nested));
            let reason = format!("release {release} no longer has it");
            self.operators
                .push(format!("drop(#[block] {path}{field}: {ty}, {reason:?}),"));
        }
    }

    fn nested(&mut self, before: &NestedBlock, now: &NestedBlock, path: &str, release: &str) {
        let field = names::field(now.name()).0;
        match (before.nesting(), now.nesting()) {
            (one, other) if one == other => self.block(
                before.block(),
                now.block(),
                &format!("{path}{field}."),
                release,
            ),
            (Nesting::List | Nesting::Set, Nesting::Single)
                if before.block().implied_type() == now.block().implied_type() =>
            {
                self.operators.push(format!(
                    "unwrap(#[block] {path}{field}: {}),",
                    block_type(before)
                ));
            }
            (Nesting::Single | Nesting::List | Nesting::Set | Nesting::Map, _) => {
                self.retyped(&field, path);
            }
        }
    }

    fn changed(&mut self, before: &Attribute, now: &Attribute, path: &str, release: &str) {
        let field = names::field(now.name()).0;
        let required = |attribute: &Attribute| attribute.presence() == Presence::Required;
        let (was, is) = (before.implied_type(), now.implied_type());
        if let (Some((earlier, nesting)), Some((later, today))) = (objects(before), objects(now))
            && nesting == today
            && (was != is
                || matches!(
                    (before.shape(), now.shape()),
                    (Shape::Nested(_), Shape::Nested(_))
                ))
        {
            self.block(&earlier, &later, &format!("{path}{field}."), release);
            return;
        }
        if was == is {
            if required(now) && !required(before) {
                self.open.push(format!("`{path}{field}` is required now: `default({path}{field} = …)` says what null was"));
            }
            return;
        }
        // A list takes the elements of a set as they are.
        if let (Type::Set(one), Type::List(other)) = (&was, &is)
            && one == other
            && matches!(
                (before.shape(), now.shape()),
                (Shape::Plain(_), Shape::Plain(_))
            )
            && (required(before) || !required(now))
        {
            self.operators
                .push(format!("carry({}),", typed(before, path, &field)));
            return;
        }
        let scalar = |ty: &Type| matches!(ty, Type::Bool | Type::Number | Type::String);
        if !scalar(&was) || !scalar(&is) || required(now) && !required(before) {
            self.retyped(&field, path);
            return;
        }
        let empty = match (&was, required(now)) {
            (Type::String, true) => ", empty = refuse",
            (Type::String, false) => ", empty = null",
            _ => "",
        };
        self.operators
            .push(format!("convert({}{empty}),", typed(before, path, &field)));
    }

    fn retyped(&mut self, field: &str, path: &str) {
        self.open.push(format!(
            "`{path}{field}` has another type now: `convert({path}{field}: …, with = path)` calls a function for it"
        ));
    }
}

fn has(block: &Block, name: &str) -> bool {
    block
        .attributes()
        .iter()
        .any(|attribute| attribute.name() == name)
        || block.blocks().iter().any(|nested| nested.name() == name)
}

/// The members of nested attributes, or of an object type, which is stored in the same form; and
/// how the objects are arranged.
fn objects(attribute: &Attribute) -> Option<(Block, Nesting)> {
    let ty = match attribute.shape() {
        Shape::Nested(nested) => {
            return Some((
                Block::new(nested.attributes().iter().cloned()),
                nested.nesting(),
            ));
        }
        Shape::Plain(ty) => ty,
    };
    let (object, nesting) = match &**ty {
        object @ Type::Object(_) => (object, Nesting::Single),
        Type::List(element) => (&**element, Nesting::List),
        Type::Set(element) => (&**element, Nesting::Set),
        Type::Map(element) => (&**element, Nesting::Map),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_) => return None,
    };
    let Type::Object(fields) = object else {
        return None;
    };
    let member = |field: &upstate::schema::Field| {
        Attribute::new(field.name(), field.ty().clone(), Presence::Optional)
    };
    Some((Block::new(fields.iter().map(member)), nesting))
}

/// The fields that were probably renamed: of one kind, the most similar names first.
pub(super) fn pairs<K: PartialEq>(
    lost: &[(String, K)],
    gained: &[(String, K)],
) -> Vec<(String, String)> {
    let mut likely: Vec<(f64, &str, &str)> = Vec::new();
    for (old, was) in lost {
        for (new, _) in gained.iter().filter(|(_, is)| was == is) {
            likely.push((strsim::jaro_winkler(old, new), old, new));
        }
    }
    likely.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let mut found: Vec<(String, String)> = Vec::new();
    for (likeness, old, new) in likely {
        if likeness >= ALIKE
            && !found
                .iter()
                .any(|(other, another)| other == old || another == new)
        {
            found.push((old.to_owned(), new.to_owned()));
        }
    }
    found
}

/// The first value of a block that was not there.
fn empty(nesting: Nesting) -> &'static str {
    match nesting {
        Nesting::Single => "null",
        Nesting::List | Nesting::Set => "[]",
        Nesting::Map => "{}",
    }
}

/// A prior field as an operator writes it.
fn typed(attribute: &Attribute, path: &str, name: &str) -> String {
    let mut flags: Vec<&str> = Vec::new();
    flags.extend(attribute.is_sensitive().then_some("sensitive"));
    flags.extend(attribute.is_write_only().then_some("write_only"));
    let (ty, is_set) = match attribute.shape() {
        Shape::Plain(ty) => {
            if let Type::Set(element) = &**ty {
                (format!("Vec<{}>", plain(element)), true)
            } else {
                (plain(ty), false)
            }
        }
        Shape::Nested(nested) => {
            let object = object(&Block::new(nested.attributes().iter().cloned()));
            match nested.nesting() {
                Nesting::Single => (object, false),
                Nesting::List => (format!("Vec<{object}>"), false),
                Nesting::Set => (format!("Vec<{object}>"), true),
                Nesting::Map => (
                    format!("std::collections::BTreeMap<String, {object}>"),
                    false,
                ),
            }
        }
    };
    flags.extend(is_set.then_some("set"));
    let ty = if attribute.presence() == Presence::Required {
        ty
    } else {
        format!("Option<{ty}>")
    };
    let flags = if flags.is_empty() {
        String::new()
    } else {
        format!("#[attribute({})] ", flags.join(", "))
    };
    format!("{flags}{path}{name}: {ty}")
}

fn block_type(nested: &NestedBlock) -> String {
    let object = object(nested.block());
    match nested.nesting() {
        Nesting::Single => format!("Option<{object}>"),
        Nesting::List => format!("Vec<{object}>"),
        Nesting::Set => format!("std::collections::BTreeSet<{object}>"),
        Nesting::Map => format!("std::collections::BTreeMap<String, {object}>"),
    }
}

/// An object in place.
fn object(block: &Block) -> String {
    let attributes = block
        .attributes()
        .iter()
        .map(|attribute| typed(attribute, "", &names::prior(attribute.name())));
    let blocks = block.blocks().iter().map(|nested| {
        format!(
            "#[block] {}: {}",
            names::prior(nested.name()),
            block_type(nested)
        )
    });
    let fields: Vec<String> = attributes.chain(blocks).collect();
    format!("{{ {} }}", fields.join(", "))
}

fn plain(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::String => "String".to_owned(),
        Type::Number => "upstate::Number".to_owned(),
        Type::List(element) => format!("Vec<{}>", plain(element)),
        Type::Set(element) => format!("std::collections::BTreeSet<{}>", plain(element)),
        Type::Map(element) => format!(
            "std::collections::BTreeMap<String, Option<{}>>",
            plain(element)
        ),
        Type::Tuple(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| plain(element)).collect();
            format!("({},)", elements.join(", "))
        }
        Type::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| {
                    format!(
                        "{}: Option<{}>",
                        names::prior(field.name()),
                        plain(field.ty())
                    )
                })
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Type::Dynamic => "upstate::Dynamic".to_owned(),
        // Only documents have these, since a provider's schema has neither.
        Type::Json | Type::Union(_) => "serde_json::Value".to_owned(),
    }
}
