//! The table of a declarative upgrader as JSON, of which the lock keeps a hash: the names here stay
//! whatever variants and fields are called.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value as Json, json};

use super::notation::{constant_json, literal_value};
use super::table::{
    Apart, Called, Condition, Constant, Conversion, Declassified, Dropped, EmptyText, Existing,
    Letters, Literal, Many, Match, MemberChange, NoElement, Notice, Operation, Operators,
    OptionalPart, Otherwise, Path, Pattern, Piece, Production, Segment, Stage, Structure, Template,
    UrlPart, VariantChange,
};
use crate::codec::json::Canonical;
use crate::value::Value;

/// `{"productions": […], "drops": […], "notices": […]}`, and `"declassified": […]` if there are
/// any; paths as lists of names. The lock keeps a hash of this text, so it is the same in every
/// program.
impl Serialize for Operators {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map =
            serializer.serialize_map(Some(if self.declassified.is_empty() { 3 } else { 4 }))?;
        self.serialize_entries(&mut map)?;
        map.end()
    }
}

impl Operators {
    /// The entries of the table in a map that has others too.
    pub(super) fn serialize_entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("productions", self.productions)?;
        map.serialize_entry("drops", &Canonical(&self.drops.saved()))?;
        let notice = |notice: &Notice| {
            let kind = if notice.refuse { "refuse" } else { "warn" };
            json!({kind: notice.text, "at": notice.at, "only_if": notice.only_if.map(Saved::saved)})
        };
        map.serialize_entry(
            "notices",
            &Canonical(&self.notices.iter().map(notice).collect()),
        )?;
        // An operator that says nothing of it is saved as before there was such a thing, because
        // fingerprints stay.
        if !self.declassified.is_empty() {
            let shown = |Declassified { path, reason }: &Declassified| json!({"path": path, "reason": reason});
            map.serialize_entry(
                "declassified",
                &Canonical(&self.declassified.iter().map(shown).collect()),
            )?;
        }
        Ok(())
    }
}

impl Serialize for Production {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("target", self.target)?;
        map.serialize_entry("stages", &Stages(self.stages, self.target))?;
        map.end()
    }
}

/// The stages of a production, and its target.
struct Stages(&'static [Stage], Path);

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for stage in self.0 {
            let mut saved = operation_json(&stage.operation, self.1);
            if stage.each {
                saved.insert("each".to_owned(), json!(true));
            }
            if let Some(condition) = stage.only_if {
                saved.insert("only_if".to_owned(), condition.saved());
            }
            seq.serialize_element(&Canonical(&Json::Object(saved)))?;
        }
        seq.end()
    }
}

/// A part of the table as the lock hashes it.
trait Saved {
    fn saved(&self) -> Json;

    /// Adds it to what an operator is saved as.
    fn save(&self, name: &str, operator: &mut Map<String, Json>) {
        operator.insert(name.trim_start_matches("r#").to_owned(), self.saved());
    }
}

macro_rules! saved {
    (
        plain { $($variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
        structures { $($module:ident $structure:ident($($argument:ident: $of:ident),*) $file:ident $other:tt;)* }
    ) => {
        impl Operation {
            fn save(&self, operator: &mut Map<String, Json>) {
                match self {
                    $(Self::$variant($($name),*) => { $($name.save(stringify!($name), operator);)* })*
                    $(Self::Structure(Structure::$structure($($argument),*)) => {
                        $($argument.save(stringify!($argument), operator);)*
                    })*
                }
            }
        }
    };
}
upstate_words::operators!(saved);

fn operation_json(operation: &Operation, target: Path) -> Map<String, Json> {
    let mut saved = Map::from_iter([("operator".to_owned(), json!(operation.row().keyword))]);
    operation.save(&mut saved);
    if let Operation::Json() = operation {
        saved.insert("json".to_owned(), json!(true));
    }
    // As it was saved when it read the prior attribute, because the lock keeps a hash of this.
    if let Operation::Structure(Structure::Entries()) = operation {
        saved.insert("from".to_owned(), json!([target]));
    }
    saved
}

impl<T: Saved> Saved for &[T] {
    fn saved(&self) -> Json {
        self.iter().map(T::saved).collect()
    }
}

impl Saved for &str {
    fn saved(&self) -> Json {
        json!(self)
    }
}

impl Saved for Option<&str> {
    fn saved(&self) -> Json {
        json!(self)
    }
}

impl Saved for bool {
    fn saved(&self) -> Json {
        json!(self)
    }
}

impl Saved for Literal {
    fn saved(&self) -> Json {
        match literal_value(self) {
            Value::Bool(bool) => Json::Bool(bool),
            Value::String(text) => Json::String(text),
            Value::List(_) => json!([]),
            Value::Map(_) => json!({}),
            Value::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or_default(),
            Value::Null | Value::Unknown | Value::Dynamic(_) => Json::Null,
        }
    }
}

impl Saved for Constant {
    fn saved(&self) -> Json {
        serde_json::from_str(&constant_json(self)).unwrap_or_default()
    }
}

impl Saved for Match {
    fn saved(&self) -> Json {
        match self {
            Self::Literal(literal) => literal.saved(),
            Self::Empty => json!({"is": "empty"}),
        }
    }
}

impl Saved for (Literal, Literal) {
    fn saved(&self) -> Json {
        json!({"old": self.0.saved(), "new": self.1.saved()})
    }
}

impl Saved for (Pattern, Template) {
    fn saved(&self) -> Json {
        let (pattern, template) = self;
        json!({"pattern": pattern.saved(), "ignore_case": pattern.ignore_case, "template": template.saved()})
    }
}

impl Saved for Otherwise {
    fn saved(&self) -> Json {
        match self {
            Self::Refuse => json!("refuse"),
            Self::Keep => json!("keep"),
            Self::Become(literal) => json!({"become": literal.saved()}),
        }
    }
}

impl Saved for Pattern {
    fn saved(&self) -> Json {
        self.pieces.saved()
    }
}

impl Saved for Piece {
    fn saved(&self) -> Json {
        match self {
            Self::Text(text) => json!({"text": text}),
            Self::Part(name) => json!({"part": name}),
            Self::Rest(name) => json!({"rest": name}),
            Self::Optional(OptionalPart {
                name,
                rest,
                sign,
                leads,
                default,
            }) => {
                let [kind, place] = [
                    if *rest { "rest" } else { "part" },
                    if *leads { "behind" } else { "before" },
                ];
                json!({kind: name, "default": default, place: sign})
            }
        }
    }
}

impl Saved for Segment {
    fn saved(&self) -> Json {
        let letters = |letters: &Letters| match letters {
            Letters::AsIs => None,
            Letters::Lower => Some("lower"),
            Letters::Upper => Some("upper"),
        };
        match self {
            Self::Text(text) => json!({"text": text}),
            Self::Found(name, case) => json!({"found": name, "letters": letters(case)}),
            Self::Prior(path, case) => json!({"prior": path, "letters": letters(case)}),
        }
    }
}

impl Saved for Apart {
    fn saved(&self) -> Json {
        match self {
            Self::Pattern(pattern) => pattern.saved(),
            Self::Url(parts) => parts.saved(),
        }
    }

    fn save(&self, _: &str, operator: &mut Map<String, Json>) {
        let name = if let Self::Url(_) = self {
            "url"
        } else {
            "pattern"
        };
        operator.insert(name.to_owned(), self.saved());
    }
}

impl Saved for UrlPart {
    fn saved(&self) -> Json {
        json!({"part": self.name, "default": self.default.map(|literal| literal.saved()), "kept": self.kept})
    }
}

impl Saved for Conversion {
    fn saved(&self) -> Json {
        json!(self.word())
    }
}

impl Saved for Called {
    fn saved(&self) -> Json {
        json!(true)
    }

    fn save(&self, name: &str, operator: &mut Map<String, Json>) {
        // The hash of the others is that of releases without these.
        let options = [
            (name, true),
            ("async", self.awaits),
            ("back", self.back.is_some()),
        ];
        operator.extend(
            options
                .into_iter()
                .filter(|(_, is_there)| *is_there)
                .map(|(name, _)| (name.to_owned(), self.saved())),
        );
    }
}

impl Saved for VariantChange {
    fn saved(&self) -> Json {
        match self {
            Self::Renamed { from, to } => json!({"from": from, "to": to}),
            Self::Dropped {
                name,
                becomes,
                reason: _,
            } => json!({"drop": name, "as": becomes}),
            Self::Added { name } => json!({"add": name}),
            Self::Member { variant, change } => match change {
                MemberChange::Renamed { from, to } => {
                    json!({"variant": variant, "from": from, "to": to})
                }
                MemberChange::Dropped { name, reason: _ } => {
                    json!({"variant": variant, "drop": name})
                }
                MemberChange::Set { name, value } => {
                    json!({"variant": variant, "set": name, "value": value.saved()})
                }
                MemberChange::Default { name, value } => {
                    json!({"variant": variant, "default": name, "value": value.saved()})
                }
                MemberChange::Converted { name, empty, .. } => {
                    json!({"variant": variant, "convert": name, "empty": empty.saved()})
                }
            },
        }
    }
}

impl Saved for Condition {
    fn saved(&self) -> Json {
        match self {
            Self::Has(path) => json!({"has": path}),
            Self::Lacks(path) => json!({"lacks": path}),
            Self::Is(path, these) => json!({"is": path, "one_of": these.saved()}),
            Self::Fits(path, pattern) => json!({"fits": path, "pattern": pattern.saved()}),
            Self::Not(other) => json!({"not": other.saved()}),
            Self::All(conditions) => json!({"all": conditions.saved()}),
            Self::Any(conditions) => json!({"any": conditions.saved()}),
        }
    }
}

impl Saved for Dropped {
    fn saved(&self) -> Json {
        let Self { path, reason, back } = self;
        // An operator that says nothing of the way back is saved as before there was one, because
        // fingerprints stay.
        match back {
            None => json!({"path": path, "reason": reason}),
            Some(back) => json!({"path": path, "reason": reason, "back": back.saved()}),
        }
    }
}

macro_rules! names {
    ($($choice:ident { $($variant:ident $name:literal)* })*) => {
        $(
            impl $choice {
                /// The name in locks and in attributes.
                pub(super) const fn name(self) -> &'static str {
                    match self {
                        $(Self::$variant => $name,)*
                    }
                }
            }

            impl Saved for $choice {
                fn saved(&self) -> Json {
                    json!(self.name())
                }
            }
        )*
    };
}
names! {
    Existing { Unsaid "unsaid" Keep "keep" Replace "replace" Refuse "refuse" }
    EmptyText { Unsaid "unsaid" Null "null" Zero "zero" Refuse "refuse" }
    Many { Refuse "refuse" First "first" }
    NoElement { Null "null" Object "object" Refuse "refuse" }
}
