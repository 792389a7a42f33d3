//! The table of a declarative upgrader as people and programs read it: in the words of the attribute, and as JSON.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value as Json, json};

use super::notation::{literal_json, matches_json, matches_text, pattern_json};
use super::table::{
    Apart, Condition, Constant, Declassified, Dropped, EmptyText, Existing, Letters, Literal, Match, Notice, Operation,
    Operators, Otherwise, Path, Production, Segment, Stage, Template, UrlPart,
};
use crate::codec::json::Canonical;
use crate::codec::{Encoding, Writer};

/// One line for each operator, in the order written; names are those in state.
impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        lines.extend(self.productions.iter().flat_map(|production| self.lines_of(production)));
        lines.extend(self.drops.iter().map(|Dropped { path, reason, back }| {
            let back = back.map(|back| format!(", back = {}", constant_json(&back))).unwrap_or_default();
            format!("drop({}, {reason:?}{back})", dotted(path))
        }));
        for Notice { text, at, refuse, only_if } in self.notices {
            let at = if at.is_empty() { String::new() } else { format!("{}, ", dotted(at)) };
            lines.push(guarded(*only_if, &format!("{}({at}{text:?})", if *refuse { "refuse" } else { "warn" })));
        }
        let carried = |path: Path| self.productions.iter().all(|production| production.target != path);
        for Declassified { path, reason } in self.declassified.iter().filter(|shown| carried(shown.path)) {
            lines.push(format!("carry({}, declassified = {reason:?})", dotted(path)));
        }
        if lines.is_empty() { f.write_str("carry") } else { f.write_str(&lines.join("\n")) }
    }
}

impl Operators {
    /// The operators of one attribute, a line for each.
    pub(super) fn lines_of(&self, Production { target, stages }: &Production) -> Vec<String> {
        let mut texts: Vec<String> = stages.iter().map(|stage| stage_text(stage, target)).collect();
        let reason = self.declassified.iter().find(|shown| shown.path == *target);
        if let (Some(Declassified { reason, .. }), Some(last), Some(stage)) = (reason, texts.last_mut(), stages.last()) {
            last.insert_str(last.len() - if stage.each { 2 } else { 1 }, &format!(", declassified = {reason:?}"));
        }
        stages.iter().zip(&texts).map(|(stage, text)| guarded(stage.only_if, text)).collect()
    }
}

fn guarded(condition: Option<&Condition>, operator: &str) -> String {
    match condition {
        Some(condition) => format!("only_if({}, {operator})", condition_text(condition)),
        None => operator.to_owned(),
    }
}

fn dotted(path: Path) -> String {
    path.join(".")
}

fn drop_json(Dropped { path, reason, back }: &Dropped) -> Json {
    // What says nothing of the way back is saved as it was before there was one.
    match back {
        None => json!({"path": path, "reason": reason}),
        Some(back) => json!({"path": path, "reason": reason, "back": constant(back)}),
    }
}

fn constant(constant: &Constant) -> Json {
    serde_json::from_str(&constant_json(constant)).unwrap_or_default()
}

fn constant_json(constant: &Constant) -> String {
    match constant {
        Constant::Literal(literal) => literal.to_string(),
        Constant::Written(write) => {
            let mut out = Vec::new();
            write(&mut Writer::new(&mut out, Encoding::Json));
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}

fn condition_text(condition: &Condition) -> String {
    let all = |conditions: &[Condition]| conditions.iter().map(condition_text).collect::<Vec<_>>().join(", ");
    match condition {
        Condition::Has(path) => format!("has({})", dotted(path)),
        Condition::Lacks(path) => format!("lacks({})", dotted(path)),
        Condition::Is(path, these) => format!("is({}, {})", dotted(path), matches_text(these)),
        Condition::Fits(path, pattern) => format!("fits({}, {pattern})", dotted(path)),
        Condition::Not(other) => format!("not({})", condition_text(other)),
        Condition::All(conditions) => format!("all({})", all(conditions)),
        Condition::Any(conditions) => format!("any({})", all(conditions)),
    }
}

fn apart_text(apart: &Apart) -> String {
    let part = |UrlPart { name, default, kept }: &UrlPart| {
        let default = default.map(|default| format!(" | {default}")).unwrap_or_default();
        format!("{name}{default}{}", if *kept { "" } else { " => _" })
    };
    match apart {
        Apart::Pattern(pattern) => pattern.to_string(),
        Apart::Url(parts) => format!("url({})", parts.iter().map(part).collect::<Vec<_>>().join(", ")),
    }
}

fn template_text(template: Template) -> String {
    let letters = |letters| match letters {
        Letters::AsIs => "",
        Letters::Lower => ":lower",
        Letters::Upper => ":upper",
    };
    let mut out = String::from("\"");
    for segment in template {
        match segment {
            Segment::Text(text) => out.push_str(&text.replace('{', "{{").replace('}', "}}")),
            Segment::Found(name, case) => out.push_str(&format_args!("{{{name}{}}}", letters(*case)).to_string()),
            Segment::Prior(path, case) => out.push_str(&format_args!("{{{}{}}}", dotted(path), letters(*case)).to_string()),
        }
    }
    out.push('"');
    out
}

fn otherwise_text(other: Otherwise) -> String {
    match other {
        Otherwise::Refuse => String::new(),
        Otherwise::Keep => ", _ => keep".to_owned(),
        Otherwise::Become(literal) => format!(", _ => {literal}"),
    }
}

fn called_text(awaits: bool, goes_back: bool) -> String {
    let function = if awaits { "an asynchronous function" } else { "a function" };
    format!("with = {function}{}", if goes_back { ", back = a function" } else { "" })
}

fn stage_text(stage: &Stage, target: Path) -> String {
    let (word, target) = (stage.operation.row().keyword, dotted(target));
    let text = match &stage.operation {
        Operation::Take { from, existing } => {
            let existing = match existing {
                Existing::Unsaid => "",
                Existing::Keep => ", existing = keep",
                Existing::Replace => ", existing = replace",
                Existing::Refuse => ", existing = refuse",
            };
            format!("{word}({} => {target}{existing})", dotted(from))
        }
        Operation::Copy { from } => format!("{word}({} => {target})", dotted(from)),
        Operation::Set(constant) => format!("{word}({target} = {})", constant_json(constant)),
        Operation::Default { value, when: [Match::Literal(Literal::Null)] } => {
            format!("{word}({target} = {})", constant_json(value))
        }
        Operation::Default { value, when } => {
            format!("{word}({target} = {}, when = ({}))", constant_json(value), matches_text(when))
        }
        Operation::NullIf(these) => format!("{word}({target}, {})", matches_text(these)),
        Operation::Convert { empty } => {
            let empty = match empty {
                EmptyText::Unsaid => "",
                EmptyText::Null => ", empty = null",
                EmptyText::Zero => ", empty = zero",
                EmptyText::Refuse => ", empty = refuse",
            };
            format!("{word}({target}{empty})")
        }
        Operation::Json => format!("{word}({target}, json)"),
        Operation::Named(conversion) => format!("{word}({target}, {})", conversion.word()),
        Operation::Function { awaits, back, .. } => {
            format!("{word}({target}, {})", called_text(*awaits, back.is_some()))
        }
        Operation::Combine { from, awaits, back, .. } => {
            let from: Vec<String> = from.iter().map(|path| dotted(path)).collect();
            format!("{word}({} => {target}, {})", from.join(", "), called_text(*awaits, back.is_some()))
        }
        Operation::Values { table, other } => {
            let pairs: Vec<String> = table.iter().map(|(old, new)| format!("{old} => {new}")).collect();
            format!("{word}({target}, {}{})", pairs.join(", "), otherwise_text(*other))
        }
        Operation::Reformat { forms, other } => {
            let pairs: Vec<String> =
                forms.iter().map(|(pattern, template)| format!("{pattern} => {}", template_text(template))).collect();
            let case = if forms.iter().any(|(pattern, _)| pattern.ignore_case) { ", ignore_case" } else { "" };
            format!("{word}({target}, {}{case}{})", pairs.join(", "), otherwise_text(*other))
        }
        Operation::Compose(template) => format!("{word}({target} = {})", template_text(template)),
        Operation::Extract { from, apart, name } => {
            format!("{word}({}, {}): {name} => {target}", dotted(from), apart_text(apart))
        }
        Operation::Structure(structure) => structure.text(word, &target),
    };
    if stage.each { format!("each({text})") } else { text }
}

/// `{"productions": […], "drops": […], "notices": […]}`, and `"declassified": […]` if there are any; paths as lists of names. The lock keeps a hash of this text, so it is the same
/// in every program.
impl Serialize for Operators {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(if self.declassified.is_empty() { 3 } else { 4 }))?;
        self.serialize_entries(&mut map)?;
        map.end()
    }
}

impl Operators {
    /// The entries of the table in a map that has others too.
    pub(super) fn serialize_entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("productions", self.productions)?;
        let drops: Json = self.drops.iter().map(drop_json).collect();
        map.serialize_entry("drops", &Canonical(&drops))?;
        let notice = |notice: &Notice| {
            let kind = if notice.refuse { "refuse" } else { "warn" };
            json!({kind: notice.text, "at": notice.at, "only_if": notice.only_if.map(condition_json)})
        };
        map.serialize_entry("notices", &Canonical(&self.notices.iter().map(notice).collect()))?;
        // What says nothing of it is saved as it was before there was such a thing.
        if !self.declassified.is_empty() {
            let shown = |Declassified { path, reason }: &Declassified| json!({"path": path, "reason": reason});
            map.serialize_entry("declassified", &Canonical(&self.declassified.iter().map(shown).collect()))?;
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
            let mut json = operation_json(&stage.operation, self.1);
            if let Json::Object(members) = &mut json {
                if stage.each {
                    members.insert("each".to_owned(), Json::Bool(true));
                }
                if let Some(condition) = stage.only_if {
                    members.insert("only_if".to_owned(), condition_json(condition));
                }
            }
            seq.serialize_element(&Canonical(&json))?;
        }
        seq.end()
    }
}

fn condition_json(condition: &Condition) -> Json {
    let list = |conditions: &[Condition]| conditions.iter().map(condition_json).collect::<Json>();
    match condition {
        Condition::Has(path) => json!({"has": path}),
        Condition::Lacks(path) => json!({"lacks": path}),
        Condition::Is(path, these) => json!({"is": path, "one_of": matches_json(these)}),
        Condition::Fits(path, pattern) => json!({"fits": path, "pattern": pattern_json(pattern.pieces)}),
        Condition::Not(other) => json!({"not": condition_json(other)}),
        Condition::All(conditions) => json!({"all": list(conditions)}),
        Condition::Any(conditions) => json!({"any": list(conditions)}),
    }
}

fn url_part_json(UrlPart { name, default, kept }: &UrlPart) -> Json {
    json!({"part": name, "default": default.as_ref().map(literal_json), "kept": kept})
}

fn template_json(template: Template) -> Json {
    let letters = |letters: &Letters| match letters {
        Letters::AsIs => Json::Null,
        Letters::Lower => json!("lower"),
        Letters::Upper => json!("upper"),
    };
    let one = |segment: &Segment| match segment {
        Segment::Text(text) => json!({"text": text}),
        Segment::Found(name, case) => json!({"found": name, "letters": letters(case)}),
        Segment::Prior(path, case) => json!({"prior": path, "letters": letters(case)}),
    };
    template.iter().map(one).collect()
}

fn otherwise_json(other: &Otherwise) -> Json {
    match other {
        Otherwise::Refuse => json!("refuse"),
        Otherwise::Keep => json!("keep"),
        Otherwise::Become(literal) => json!({"become": literal_json(literal)}),
    }
}

/// An operator that calls a function, with how it does.
fn called_json(mut operator: Json, awaits: bool, goes_back: bool) -> Json {
    if let Json::Object(members) = &mut operator {
        // The hash of the others is that of releases without these.
        members.extend(awaits.then(|| ("async".to_owned(), Json::Bool(true))));
        members.extend(goes_back.then(|| ("back".to_owned(), Json::Bool(true))));
    }
    operator
}

fn operation_json(operation: &Operation, target: Path) -> Json {
    let word = operation.row().keyword;
    match operation {
        Operation::Take { from, existing } => {
            json!({"operator": word, "from": from, "existing": existing.saved()})
        }
        Operation::Copy { from } => json!({"operator": word, "from": from}),
        Operation::Set(value) => json!({"operator": word, "value": constant(value)}),
        Operation::Default { value, when } => {
            json!({"operator": word, "value": constant(value), "when": matches_json(when)})
        }
        Operation::NullIf(these) => json!({"operator": word, "one_of": matches_json(these)}),
        Operation::Convert { empty } => json!({"operator": word, "empty": empty.saved()}),
        Operation::Json => json!({"operator": word, "json": true}),
        Operation::Named(conversion) => json!({"operator": word, "conversion": conversion.word()}),
        Operation::Function { awaits, back, .. } => {
            called_json(json!({"operator": word, "function": true}), *awaits, back.is_some())
        }
        Operation::Combine { from, awaits, back, .. } => {
            called_json(json!({"operator": word, "function": true, "from": from}), *awaits, back.is_some())
        }
        Operation::Values { table, other } => {
            let pairs: Vec<Json> =
                table.iter().map(|(old, new)| json!({"old": literal_json(old), "new": literal_json(new)})).collect();
            json!({"operator": word, "table": pairs, "other": otherwise_json(other)})
        }
        Operation::Reformat { forms, other } => {
            let form = |(pattern, template): &(super::table::Pattern, Template)| {
                json!({
                    "pattern": pattern_json(pattern.pieces),
                    "ignore_case": pattern.ignore_case,
                    "template": template_json(template),
                })
            };
            let forms: Vec<Json> = forms.iter().map(form).collect();
            json!({"operator": word, "forms": forms, "other": otherwise_json(other)})
        }
        Operation::Compose(template) => json!({"operator": word, "template": template_json(template)}),
        Operation::Extract { from, apart: Apart::Pattern(pattern), name } => {
            json!({"operator": word, "from": from, "pattern": pattern_json(pattern.pieces), "part": name})
        }
        Operation::Extract { from, apart: Apart::Url(parts), name } => {
            let parts: Vec<Json> = parts.iter().map(url_part_json).collect();
            json!({"operator": word, "from": from, "url": parts, "part": name})
        }
        Operation::Structure(structure) => structure.json(word, target),
    }
}

// The lock keeps a hash of these names, so they stay whatever the variants are called.

impl Existing {
    fn saved(self) -> &'static str {
        match self {
            Self::Unsaid => "unsaid",
            Self::Keep => "keep",
            Self::Replace => "replace",
            Self::Refuse => "refuse",
        }
    }
}

impl EmptyText {
    fn saved(self) -> &'static str {
        match self {
            Self::Unsaid => "unsaid",
            Self::Null => "null",
            Self::Zero => "zero",
            Self::Refuse => "refuse",
        }
    }
}
