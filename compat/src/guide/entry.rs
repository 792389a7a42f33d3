//! One entry: what follows from a finding, slot by slot.

use super::{GuideEntry, GuideNote, documents};
use crate::finding::{DROPPED, Finding, KEYED};
use crate::kind::Kind;
use crate::report::Report;
use crate::rule::Axis;
use crate::witness::is_only_read;

pub(super) fn of(report: &Report, finding: &Finding, notes: &[GuideNote]) -> GuideEntry {
    let mut entry = GuideEntry {
        resource: finding.resource.clone(),
        kind: finding.kind,
        definition: report.definitions.get(&finding.resource).cloned(),
        path: finding.path.clone(),
        rule: finding.rule.id(),
        fingerprint: finding.fingerprint.clone(),
        heading: String::new(),
        was: finding.old.clone(),
        is: finding.new.clone(),
        affected: String::new(),
        steps: Vec::new(),
        state: state(report, finding),
        keep: None,
        prepare: None,
        example: None,
        note: notes.iter().find(|note| note.is_about(finding)).cloned(),
    };
    Words::of(finding, report).fill(&mut entry);
    // Words of the heading or of a step are not written again.
    let (heading, steps) = (&entry.heading, &entry.steps);
    let unsaid = |text: &String| {
        let text = Words::value(text);
        !heading.contains(text) && !steps.iter().any(|step| step.contains(text))
    };
    entry.was = entry.was.filter(unsaid);
    entry.is = entry.is.filter(unsaid);
    entry
}

/// The fate of stored values, for changes that bear on them.
fn state(report: &Report, finding: &Finding) -> Option<String> {
    if finding.kind == Kind::Document
        || !finding.axes.contains(&Axis::State)
        || !finding.bump.strict
    {
        return None;
    }
    let verdict = report.resources.get(&finding.resource)?;
    let upgraded = verdict.new_version > verdict.old_version;
    Some(match finding.rule.id() {
        "attribute-removed" | "object-member-removed" => "The stored value is discarded.".to_owned(),
        "write-only-added" if upgraded => "The first plan takes the stored value out of state.".to_owned(),
        _ if upgraded => "The first plan carries the stored value over; the release before cannot read it any more.".to_owned(),
        // Without an upgrade, a release that needs one cannot go out.
        _ if finding.bump.wire => return None,
        _ => format!("The stored value stays until the next apply: {}.", finding.state_impact()),
    })
}

/// The parts of the sentences of an entry.
struct Words<'f> {
    finding: &'f Finding,
    path: String,
    /// The name that configurations use.
    ty: &'f str,
    /// An object as an expression names it.
    object: String,
    old: &'f str,
    new: &'f str,
    /// The replacement.
    instead: Option<String>,
    /// The release that announced it.
    since: Option<&'f str>,
    /// The last release before this one.
    last: String,
}

impl<'f> Words<'f> {
    fn of(finding: &'f Finding, report: &Report) -> Self {
        let announced = finding.announced.as_ref();
        let names = announced
            .map(|deprecated| deprecated.replaced_by.0.join("`, `"))
            .filter(|names| !names.is_empty());
        Self {
            finding,
            path: finding.path.replace("[*]", ""),
            ty: finding.kind.bare(&finding.resource),
            object: finding.kind.reference(&finding.resource),
            old: finding.old.as_deref().unwrap_or("the old value"),
            new: finding.new.as_deref().unwrap_or("something else"),
            instead: names.map(|names| format!("`{names}`")),
            since: announced.and_then(|deprecated| deprecated.since.as_deref()),
            last: report
                .baseline
                .as_ref()
                .map_or_else(|| "the release before".to_owned(), ToString::to_string),
        }
    }

    /// A value of a message, without the word before it.
    fn value(text: &str) -> &str {
        text.strip_prefix("default ").unwrap_or(text)
    }

    fn replaces(&self) -> bool {
        self.finding
            .note
            .as_deref()
            .is_some_and(|note| note.contains("replaces the object"))
    }

    /// Heading, who is affected, what to do, and the slots that only some changes have.
    fn fill(&self, entry: &mut GuideEntry) {
        if self.finding.kind == Kind::Document {
            let definition = entry.definition.clone();
            let words = documents::Words {
                finding: self.finding,
                path: &self.path,
                old: self.old,
                new: self.new,
                last: &self.last,
                definition: definition.as_deref(),
            };
            words.fill(entry);
            return;
        }
        let is_written = self.existence(entry) || self.shape(entry) || self.values(entry);
        if !is_written {
            let at = if self.path.is_empty() {
                self.ty
            } else {
                &self.path
            };
            say(
                entry,
                format!("`{at}`: {}", self.finding.title()),
                "Everyone who uses it; a plan shows whether anything changes.",
                &[self.finding.why().to_owned()],
            );
        }
    }

    /// Removed, renamed and newly required parts.
    fn existence(&self, entry: &mut GuideEntry) -> bool {
        let (path, ty, old, new) = (&self.path, self.ty, self.old, self.new);
        match self.finding.rule.id() {
            "resource-removed" | "resource-kind-changed" if !self.finding.kind.is_stored() => {
                let instead = self
                    .instead
                    .as_ref()
                    .map(|names| format!("Use {names} in its place."));
                let delete = if self.finding.kind == Kind::Function {
                    format!("Take calls of `{ty}` out of your configuration.")
                } else {
                    let block = self.finding.kind.block(ty);
                    format!(
                        "Delete `{block}` blocks, and expressions that read them, from your configuration."
                    )
                };
                let mut steps = vec![delete];
                steps.extend(instead);
                say(
                    entry,
                    format!("`{ty}` removed"),
                    &format!("Configurations that use `{ty}`."),
                    &steps,
                )
            }
            "function-parameters-changed" => say(
                entry,
                format!("`{ty}` takes other arguments"),
                &format!("Configurations that call `{ty}`."),
                &[format!("Write `{ty}{new}` in place of `{ty}{old}`.")],
            ),
            "resource-removed" => say(
                entry,
                format!("`{ty}` removed"),
                &format!("Everybody who manages objects of type `{ty}`."),
                &self.exit(),
            ),
            "resource-renamed" => {
                let moved = format!(
                    "Add `moved {{ from = {ty}.x, to = {new}.x }}` for each, so that state is carried over."
                );
                say(
                    entry,
                    format!("`{ty}` is now `{new}`"),
                    &format!("Everybody who manages objects of type `{ty}`."),
                    &[format!("Change the type of each block to `{new}`."), moved],
                )
            }
            "attribute-removed" if self.finding.kind.is_read() && is_only_read(self.finding) => {
                self.read_no_more(entry)
            }
            "attribute-removed" | "object-member-removed" => {
                let instead = self.instead.as_ref().map(|names| match self.since {
                    Some(since) => format!("Configure {names}, available since {since}, instead."),
                    None => format!("Configure {names} instead."),
                });
                entry.prepare = self
                    .instead
                    .as_ref()
                    .map(|names| format!("{names} can be used with {} already.", self.last));
                let mut steps = vec![format!("Delete `{path}` from your configuration.")];
                steps.extend(instead);
                if self.finding.kind.is_read() {
                    steps.push(format!(
                        "Let expressions that read `{path}` read another attribute, or delete them."
                    ));
                }
                let affected = format!(
                    "Configurations that set `{path}`, and expressions that read it. Nothing else has to change.{}",
                    self.dropped()
                );
                say(entry, format!("`{path}` removed"), &affected, &steps)
            }
            "attribute-renamed" | "attribute-moved" => {
                entry.prepare = self.since.map(|since| {
                    format!(
                        "Both names work from {since} to {}: change it before you upgrade.",
                        self.last
                    )
                });
                entry.example = Some((self.setting_of(old), self.setting_of(new)));
                say(
                    entry,
                    format!("`{old}` is now `{new}`"),
                    &format!("Configurations that set or read `{old}`."),
                    &[format!(
                        "Write `{new}` in place of `{old}`, in blocks and in expressions."
                    )],
                )
            }
            "attribute-merged" | "attribute-split" => say(
                entry,
                format!("`{old}` is now `{new}`"),
                &format!("Configurations that set or read `{old}`."),
                &[format!("Write `{new}` in place of `{old}`.")],
            ),
            "attribute-added-required"
            | "attribute-optional-to-required"
            | "attribute-computed-to-required" => {
                let step = format!(
                    "Set `{path}`. If it was left out until now, write the object's value, as state shows it."
                );
                say(
                    entry,
                    format!("`{path}` must be set"),
                    &format!("Configurations without `{path}`."),
                    &[step],
                )
            }
            "block-added-required" => say(
                entry,
                format!("the block `{path}` must be written"),
                &format!("Configurations without `{path}`."),
                &[format!("Write `{path} {{ … }}`, with what the object has.")],
            ),
            "attribute-became-computed-only" => say(
                entry,
                format!("`{path}` is read-only"),
                &format!("Configurations that set `{path}`."),
                &[format!(
                    "Remove `{path}` from your configuration; expressions that read it keep working."
                )],
            ),
            "upgrader-removed" => say(
                entry,
                format!("upgrading from schema version {old} is no longer possible"),
                &format!("State that no release after schema version {old} has rewritten."),
                &[
                    format!("Stop over at {}.", self.last),
                    "Apply there: that rewrites the state.".to_owned(),
                    "Then go on with this release.".to_owned(),
                ],
            ),
            _ => false,
        }
    }

    /// An attribute is gone that only the provider set: nobody has configured it.
    fn read_no_more(&self, entry: &mut GuideEntry) -> bool {
        let path = &self.path;
        let instead = self.instead.as_deref().unwrap_or("another attribute");
        say(
            entry,
            format!("`{path}` removed"),
            &format!(
                "Expressions that read `{path}`. Nothing else has to change.{}",
                self.dropped()
            ),
            &[format!(
                "Let expressions that read `{path}` read {instead}, or delete them."
            )],
        )
    }

    /// The reason why the upgrade drops the stored value, as one more sentence.
    fn dropped(&self) -> String {
        let reason = self
            .finding
            .note
            .as_deref()
            .and_then(|note| note.strip_prefix(DROPPED));
        reason.map_or(String::new(), |reason| {
            format!(" The value in state is dropped: {reason}.")
        })
    }

    /// Types, collections and blocks.
    fn shape(&self, entry: &mut GuideEntry) -> bool {
        let (path, object) = (&self.path, &self.object);
        let setting = format!("Configurations that set `{path}`.");
        let (block, attribute) = (
            format!("{path} {{\n  …\n}}"),
            format!("{path} = [{{\n  …\n}}]"),
        );
        match self.finding.rule.id() {
            "list-to-set" => say(
                entry,
                format!("`{path}` has no order"),
                &format!("Expressions with an index, such as `{object}.{path}[0]`, and lists with equal elements."),
                &[
                    format!("Write `tolist({object}.{path})[0]`, or a `for` expression, in place of `{object}.{path}[0]`."),
                    "One of equal elements stays.".to_owned(),
                ],
            ),
            "set-to-list" => say(
                entry,
                format!("`{path}` has an order"),
                &setting,
                &["Write the elements in the order that they are to have; the first plan may show them moved.".to_owned()],
            ),
            "block-to-attribute" => {
                entry.example = Some((block, attribute));
                let step = format!("Write `{path} = …` in place of the block `{path} {{ … }}`.");
                say(entry, format!("`{path}` is an attribute"), &setting, &[step])
            }
            "attribute-to-block" => {
                entry.example = Some((attribute, block));
                let step = format!("Write the block `{path} {{ … }}` in place of `{path} = …`.");
                say(entry, format!("`{path}` is a block"), &setting, &[step])
            }
            "type-changed"
            | "type-narrowed"
            | "type-widened"
            | "element-type-changed"
            | "type-from-dynamic"
            | "type-to-dynamic"
            | "scalar-collection-changed"
            | "collection-kind-changed"
            | "nesting-mode-changed"
            | "tuple-arity-changed" => self.retyped(entry),
            "variant-removed" => say(
                entry,
                format!("`{path}` no longer has the variant `{}`", self.old),
                &format!("Values stored with `{}` in `{path}`.", self.old),
                &["Upgrade it with this release, or change the value before.".to_owned()],
            ),
            "union-tagging-changed" => say(
                entry,
                format!("`{path}` is stored in another way"),
                &format!("Everything that is stored with `{path}`, and other programs that read it."),
                &[
                    "Upgrade it with this release.".to_owned(),
                    format!("Change your programs that write it: the form was {}, and is {}.", self.old, self.new),
                ],
            ),
            _ => false,
        }
    }

    /// Defaults, what is accepted, and what a change leads to.
    fn values(&self, entry: &mut GuideEntry) -> bool {
        let (path, old, new) = (&self.path, self.old, self.new);
        match self.finding.rule.id() {
            "default-changed"
            | "default-removed"
            | "default-added"
            | "attribute-added-default"
            | "attribute-added-force-new-default" => self.default(entry),
            "constraint-added" => say(
                entry,
                format!("now {}", combination(new)),
                "Configurations with another combination of them.",
                &["Set them so that it holds; a plan names each missing or surplus attribute.".to_owned()],
            ),
            "enum-value-removed" => say(
                entry,
                format!("`{path}` no longer takes {old}"),
                &format!("Configurations with `{path} = {old}`."),
                &["Choose another value.".to_owned()],
            ),
            "min-items-increased" | "max-items-decreased" => {
                let most = self.finding.rule.id() == "max-items-decreased";
                let limit = format!("at {} {new}", if most { "most" } else { "least" });
                say(
                    entry,
                    format!("{limit} of the block `{path}`"),
                    &format!("Configurations with {} of them.", if most { "more" } else { "fewer" }),
                    &[format!("Write {limit} of them.")],
                )
            }
            "validator-added" | "validator-tightened" | "validator-changed-opaque" => say(
                entry,
                format!("`{path}` takes other values than before"),
                &format!("Configurations whose `{path}` is refused now; a plan says so."),
                &[format!("Change the value to one that is allowed: {new}.")],
            ),
            "force-new-added" => say(
                entry,
                format!("changing `{path}` replaces the object"),
                "Nobody has to change anything now.",
                &[format!("Look at the plan before you change `{path}`.")],
            ),
            "behaviour-changed" => {
                entry.keep.clone_from(&self.finding.note);
                say(
                    entry,
                    format!("`{}` {new}", self.ty),
                    &format!("Everybody who manages objects of type `{}`.", self.ty),
                    &["Look at the first plan before you apply it.".to_owned()],
                )
            }
            "sensitive-added" => say(
                entry,
                format!("`{path}` is sensitive"),
                "Outputs and expressions that show it.",
                &["Mark outputs that show it with `sensitive = true`, or take `nonsensitive(…)` where it is not a secret."
                    .to_owned()],
            ),
            "write-only-added" => say(
                entry,
                format!("`{path}` is write-only"),
                &format!("Configurations that set `{path}`, and expressions that read it."),
                &[
                    "Use a host that knows write-only attributes (Terraform 1.11 or later).".to_owned(),
                    "Let expressions that read it read the value where it comes from.".to_owned(),
                ],
            ),
            _ => false,
        }
    }

    /// The way to leave a resource that is gone.
    fn exit(&self) -> Vec<String> {
        let successor = self
            .finding
            .note
            .as_deref()
            .and_then(|note| note.strip_prefix("its successor is "));
        let instead = successor.map_or_else(
            || "Manage the objects with something else, or by hand.".to_owned(),
            |successor| format!("Write a `{successor}` for each, and import the object into it."),
        );
        vec![
            format!("Before you upgrade, delete the `{}` blocks from your configuration.", self.ty),
            "Forget the objects without destroying them: a `removed` block with `lifecycle { destroy = false }`, or `terraform state rm`."
                .to_owned(),
            instead,
        ]
    }

    fn default(&self, entry: &mut GuideEntry) -> bool {
        let path = &self.path;
        let new = self.finding.new.as_deref().map_or("nothing", Self::value);
        let old = self.finding.old.as_deref().map_or("nothing", Self::value);
        let replaced = if self.replaces() {
            " **and replaces the object**"
        } else {
            ""
        };
        entry.heading = match self.finding.rule.id() {
            "default-removed" => format!("`{path}` has no default any more"),
            _ => format!("`{path}` now defaults to {}", last_default(new)),
        };
        entry.affected = format!("Configurations without `{path}`.");
        entry.steps = vec![format!(
            "Where `{path}` is not set, the first plan shows a change from {old} to {}{replaced}: accept it, or keep the old value.",
            last_default(new)
        )];
        entry.keep = Some(match &self.finding.old {
            Some(_) => format!("Write `{path} = {old}`."),
            None => format!("Write `{path}` with the value that the object has."),
        });
        true
    }

    fn retyped(&self, entry: &mut GuideEntry) -> bool {
        let (path, old, new) = (&self.path, article(self.old), article(self.new));
        entry.heading = format!("`{path}` is {new}");
        let scalar = |text: &str| ["string", "number", "bool", "int64", "float64"].contains(&text);
        entry.affected = format!("Configurations that set `{path}`, and expressions that read it.");
        entry.steps = vec![
            if scalar(self.old) && scalar(self.new) {
                "Literals convert by themselves where one is written as the other is.".to_owned()
            } else {
                match self
                    .finding
                    .note
                    .as_deref()
                    .and_then(|note| note.strip_prefix(KEYED))
                {
                    Some(key) if self.new == "map" => {
                        format!("Write `{path}` as a map: {key} of each object is its key.")
                    }
                    Some(key) => {
                        format!("Write `{path}` as {new}: the key of each object is its {key}.")
                    }
                    None => format!("Write `{path}` as {new}."),
                }
            },
            format!("Comparisons that take it for {old} need editing."),
        ];
        true
    }
}

/// A type or arrangement, with its article.
fn article(kind: &str) -> String {
    match kind {
        "dynamic" => "a value of any type".to_owned(),
        "single" => "a single object".to_owned(),
        kind if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

/// The demand of a group of attributes, as the rest of a sentence.
fn combination(group: &str) -> String {
    let Some((kind, names)) = group.split_once(' ') else {
        return group.to_owned();
    };
    let names: Vec<String> = names.split(", ").map(|name| format!("`{name}`")).collect();
    if let (Some(words), Some((first, others))) = (sum(kind), names.split_first()) {
        return format!("{first} is {words} {}", others.join(" + "));
    }
    let names = names.join(", ");
    match kind {
        "exactly_one_of" => format!("exactly one of {names} is set"),
        "at_least_one_of" => format!("at least one of {names} is set"),
        "conflicts_with" => format!("at most one of {names} is set"),
        "required_with" => format!("all of {names} are set, or none"),
        _ => group.to_owned(),
    }
}

/// The comparison of a sum, as the middle of a sentence.
fn sum(kind: &str) -> Option<&'static str> {
    match kind {
        "at_least_sum_of" => Some("at least"),
        "at_most_sum_of" => Some("at most"),
        "equal_to_sum_of" => Some("the same as"),
        _ => None,
    }
}

/// Fills the slots that every entry has; says that it did.
pub(super) fn say(
    entry: &mut GuideEntry,
    heading: String,
    affected: &str,
    steps: &[String],
) -> bool {
    entry.heading = heading;
    affected.clone_into(&mut entry.affected);
    entry.steps = steps.to_vec();
    true
}

/// The default that the words of a new attribute end in.
fn last_default(words: &str) -> &str {
    words
        .rsplit_once("default ")
        .map_or(words, |(_, default)| default)
}

impl Words<'_> {
    /// The smallest configuration that sets `path`.
    fn setting_of(&self, path: &str) -> String {
        let kind = self.finding.kind;
        let mut steps: Vec<&str> = path.split('.').collect();
        let last = steps.pop().unwrap_or_default();
        if kind.has_config_block() {
            steps.insert(0, "config");
        }
        let mut lines = vec![format!("{} {{", kind.block(self.ty))];
        for (depth, step) in steps.iter().enumerate() {
            lines.push(format!(
                "{}{} {{",
                "  ".repeat(depth + 1),
                step.trim_end_matches("[*]")
            ));
        }
        lines.push(format!("{}{last} = …", "  ".repeat(steps.len() + 1)));
        for depth in (0..=steps.len()).rev() {
            lines.push(format!("{}}}", "  ".repeat(depth)));
        }
        lines.join("\n")
    }
}
