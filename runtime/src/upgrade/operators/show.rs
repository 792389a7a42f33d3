//! The table of a declarative upgrader as people read it, in the words of the attribute.

use std::fmt;

use super::notation::{constant_json, matches_text};
use super::table::{
    Apart, Called, Condition, Declassified, Dropped, Letters, Literal, Match, Notice, Operation,
    Operators, Otherwise, Path, Pattern, Production, Segment, Stage, Structure, Template, UrlPart,
};

/// One line for each operator, in the order written; names are those in state.
impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&|_| false))
    }
}

/// The text instead of what could be a secret.
const SENSITIVE: &str = "(sensitive)";

impl Operators {
    /// The operators, a line for each. One on an attribute that is secret is shown without its
    /// constants, because one of them may be a value of it.
    pub(super) fn text(&self, is_secret: &dyn Fn(Path) -> bool) -> String {
        let condition = |only_if: Option<&Condition>, text: &str| match only_if {
            Some(condition) if quotes(condition, is_secret) => {
                format!("only_if({SENSITIVE}, {text})")
            }
            only_if => guarded(only_if, text),
        };
        let mut lines = Vec::new();
        for production in self.productions {
            for (stage, text) in production.stages.iter().zip(self.unguarded(production)) {
                // An operator that takes a value as it is has no constant.
                let has_constant = !stage.operation.takes_as_is();
                let hides = has_constant
                    && (is_secret(production.target) || stage.operation.all_read().any(is_secret));
                let hidden = || {
                    format!(
                        "{}({}, {SENSITIVE})",
                        stage.operation.row().keyword,
                        dotted(production.target)
                    )
                };
                lines.push(condition(
                    stage.only_if,
                    &if hides { hidden() } else { text },
                ));
            }
        }
        lines.extend(self.drops.iter().map(|Dropped { path, reason, back }| {
            let back = back.map(|back| {
                if is_secret(path) {
                    SENSITIVE.to_owned()
                } else {
                    constant_json(&back)
                }
            });
            let back = back
                .map(|back| format!(", back = {back}"))
                .unwrap_or_default();
            format!("drop({}, {reason:?}{back})", dotted(path))
        }));
        for Notice {
            text,
            at,
            refuse,
            only_if,
        } in self.notices
        {
            let at = if at.is_empty() {
                String::new()
            } else {
                format!("{}, ", dotted(at))
            };
            lines.push(condition(
                *only_if,
                &format!("{}({at}{text:?})", if *refuse { "refuse" } else { "warn" }),
            ));
        }
        let carried = |path: Path| {
            self.productions
                .iter()
                .all(|production| production.target != path)
        };
        for Declassified { path, reason } in
            self.declassified.iter().filter(|shown| carried(shown.path))
        {
            lines.push(format!(
                "carry({}, declassified = {reason:?})",
                dotted(path)
            ));
        }
        if lines.is_empty() {
            "carry".to_owned()
        } else {
            lines.join("\n")
        }
    }

    /// The operators of one attribute, a line for each.
    pub(super) fn lines_of(&self, production: &Production) -> Vec<String> {
        production
            .stages
            .iter()
            .zip(self.unguarded(production))
            .map(|(stage, text)| guarded(stage.only_if, &text))
            .collect()
    }

    /// The operators of one attribute without their conditions.
    fn unguarded(&self, Production { target, stages }: &Production) -> Vec<String> {
        let mut texts: Vec<String> = stages
            .iter()
            .map(|stage| stage_text(stage, target))
            .collect();
        let reason = self.declassified.iter().find(|shown| shown.path == *target);
        if let (Some(Declassified { reason, .. }), Some(last), Some(stage)) =
            (reason, texts.last_mut(), stages.last())
        {
            last.insert_str(
                last.len() - if stage.each { 2 } else { 1 },
                &format!(", declassified = {reason:?}"),
            );
        }
        texts
    }
}

/// True if a condition has a constant about an attribute of which something holds.
fn quotes(condition: &Condition, holds: &dyn Fn(Path) -> bool) -> bool {
    match condition {
        Condition::Has(_) | Condition::Lacks(_) => false,
        Condition::Is(path, _) | Condition::Fits(path, _) => holds(path),
        Condition::Not(other) => quotes(other, holds),
        Condition::All(all) | Condition::Any(all) => {
            all.iter().any(|condition| quotes(condition, holds))
        }
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

fn condition_text(condition: &Condition) -> String {
    let all = |conditions: &[Condition]| {
        conditions
            .iter()
            .map(condition_text)
            .collect::<Vec<_>>()
            .join(", ")
    };
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
    let part = |UrlPart {
                    name,
                    default,
                    kept,
                }: &UrlPart| {
        let default = default
            .map(|default| format!(" | {default}"))
            .unwrap_or_default();
        format!("{name}{default}{}", if *kept { "" } else { " => _" })
    };
    match apart {
        Apart::Pattern(pattern) => pattern.to_string(),
        Apart::Url(parts) => format!(
            "url({})",
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        ),
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
            Segment::Found(name, case) => {
                out.push_str(&format_args!("{{{name}{}}}", letters(*case)).to_string());
            }
            Segment::Prior(path, case) => {
                out.push_str(&format_args!("{{{}{}}}", dotted(path), letters(*case)).to_string());
            }
        }
    }
    out.push('"');
    out
}

fn otherwise_text(other: Otherwise) -> Option<String> {
    match other {
        Otherwise::Refuse => None,
        Otherwise::Keep => Some("_ => keep".to_owned()),
        Otherwise::Become(literal) => Some(format!("_ => {literal}")),
    }
}

fn forms_texts(forms: &[(Pattern, Template)]) -> impl Iterator<Item = String> {
    let ignores_case = forms.iter().any(|(pattern, _)| pattern.ignore_case);
    let pairs = forms
        .iter()
        .map(|(pattern, template)| format!("{pattern} => {}", template_text(template)));
    pairs.chain(ignores_case.then(|| "ignore_case".to_owned()))
}

fn called_text(called: &Called) -> String {
    let function = if called.awaits {
        "an asynchronous function"
    } else {
        "a function"
    };
    format!(
        "with = {function}{}",
        if called.back.is_some() {
            ", back = a function"
        } else {
            ""
        }
    )
}

fn keys_text(keys: &[Pattern]) -> String {
    match keys {
        [key] => format!("key = {key}"),
        keys => format!(
            "key = ({})",
            keys.iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// An option of a few words; nothing of the one that is meant without it.
fn choice_text(option: &str, choice: &str, unsaid: &str) -> Option<String> {
    (choice != unsaid).then(|| format!("{option} = {choice}"))
}

/// An operator as people read it, taken apart.
#[derive(Default)]
struct Parts {
    /// Left of the arrow.
    sources: Vec<String>,
    value: Option<String>,
    options: Vec<String>,
    key: &'static str,
    part: Option<&'static str>,
}

/// Adds an argument.
macro_rules! show {
    (Prior $path:ident $parts:ident) => {
        $parts.sources.push(dotted($path))
    };
    (Priors $paths:ident $parts:ident) => {
        $parts.sources.extend($paths.iter().map(|path| dotted(path)))
    };
    (Constant $value:ident $parts:ident) => {
        $parts.value = Some(constant_json(&$value))
    };
    (Template $template:ident $parts:ident) => {
        $parts.value = Some(template_text($template))
    };
    (KeyMember $key:ident $parts:ident) => {
        $parts.key = $key
    };
    (Part $part:ident $parts:ident) => {
        $parts.part = Some($part)
    };
    ($kind:ident $argument:ident $parts:ident) => {
        $parts.options.extend(option!($kind $argument $parts))
    };
}

/// The options that an argument is written as.
macro_rules! option {
    (ValueMember $value:ident $parts:ident) => {
        [match ($parts.key, $value) {
            (key, None) => format!("by = {key}"),
            (key, Some(value)) => format!("key = {key:?}, value = {value:?}"),
        }]
    };
    (Replaced $these:ident $parts:ident) => {
        match $these {
            [Match::Literal(Literal::Null)] => None,
            these => Some(format!("when = ({})", matches_text(these))),
        }
    };
    (Existing $choice:ident $parts:ident) => {
        choice_text("existing", $choice.name(), "unsaid")
    };
    (EmptyText $choice:ident $parts:ident) => {
        choice_text("empty", $choice.name(), "unsaid")
    };
    (Many $choice:ident $parts:ident) => {
        choice_text("many", $choice.name(), "refuse")
    };
    (NoElement $choice:ident $parts:ident) => {
        choice_text("empty", $choice.name(), "null")
    };
    (KeepsNull $keeps:ident $parts:ident) => {
        $keeps.then(|| "empty = null".to_owned())
    };
    (Matches $these:ident $parts:ident) => {
        [matches_text($these)]
    };
    (Conversion $conversion:ident $parts:ident) => {
        [$conversion.word().to_owned()]
    };
    (Called $called:ident $parts:ident) => {
        [called_text(&$called)]
    };
    (Table $table:ident $parts:ident) => {
        $table.iter().map(|(old, new)| format!("{old} => {new}"))
    };
    (Otherwise $other:ident $parts:ident) => {
        otherwise_text($other)
    };
    (Forms $forms:ident $parts:ident) => {
        forms_texts($forms)
    };
    (Apart $apart:ident $parts:ident) => {
        [apart_text(&$apart)]
    };
    (Text $text:ident $parts:ident) => {
        [format!("{:?}", $text)]
    };
    (TakenMember $member:ident $parts:ident) => {
        [format!("member = {}", $member)]
    };
    (PutMember $member:ident $parts:ident) => {
        [format!("as = {}", $member)]
    };
    (Patterns $keys:ident $parts:ident) => {
        [keys_text($keys)]
    };
    (Variants $changes:ident $parts:ident) => {
        $changes.iter().map(ToString::to_string)
    };
}

macro_rules! texts {
    (
        plain { $($variant:ident($($name:ident: $kind:ident),*) $word:ident $effect:tt;)* }
        structures { $($module:ident $structure:ident($($argument:ident: $of:ident),*) $file:ident $other:tt;)* }
    ) => {
        impl Operation {
            fn parts(&self) -> Parts {
                let mut parts = Parts::default();
                match *self {
                    $(Self::$variant($($name),*) => { $(show!($kind $name parts);)* })*
                    $(Self::Structure(Structure::$structure($($argument),*)) => { $(show!($of $argument parts);)* })*
                }
                parts
            }
        }
    };
}
upstate_words::operators!(texts);

fn stage_text(stage: &Stage, target: Path) -> String {
    let (word, target) = (stage.operation.row().keyword, dotted(target));
    let Parts {
        sources,
        value,
        mut options,
        part,
        ..
    } = stage.operation.parts();
    if let Operation::Json() = stage.operation {
        options.push("json".to_owned());
    }
    let (sources, options) = (sources.join(", "), options.join(", "));
    let text = if let Some(part) = part {
        format!("{word}({sources}, {options}): {part} => {target}")
    } else {
        let arrow = if sources.is_empty() { "" } else { " => " };
        let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
        let comma = if options.is_empty() { "" } else { ", " };
        format!("{word}({sources}{arrow}{target}{value}{comma}{options})")
    };
    if stage.each {
        format!("each({text})")
    } else {
        text
    }
}
