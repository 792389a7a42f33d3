//! The verdict of each operator, against states made from both schemas.
//!
//! Where the way up is *lossless*, a state that was upgraded goes back as it was. Where the way
//! back is, every state of the current version goes back and comes up again as it was. What a
//! lossless direction refuses is named by it.

mod cases;
mod states;

use std::collections::{BTreeMap, BTreeSet};

use super::super::form::{Form, Objects, member};
use super::super::table::{Operation, Operators};
use super::super::{Called, Conversion, Structure};
use crate::codec::{Encoding, UnknownAttributes};
use crate::schema::{Members, Origin, Schema};
use crate::upgrade::declared::PriorVersion;
use crate::upgrade::reach::unfit;
use crate::upgrade::verdict::{Direction, Verdict, Verdicts, Weight};
use crate::upgrade::{DowngradeRequest, ResourceDefinition, UpgradeRequest};
use crate::value::{Unknown, Value, set};
use crate::{CurrentModel, Registry};

use states::States;

/// The number of states that are made of each of the two versions; those that are the same are
/// tried once.
const STATES: u64 = 500;

/// A type whose version 1 is made by the operators under test.
pub(super) struct Case {
    name: &'static str,
    registry: Registry,
    definition: &'static ResourceDefinition,
    operators: &'static Operators,
    prior: PriorVersion,
    current: PriorVersion,
    verdicts: Verdicts,
}

impl Case {
    pub(super) fn of<T: CurrentModel>(name: &'static str) -> Self {
        let model = crate::upgrade::model::Model::of::<T>();
        let upgrader = (model.upgrader)(0).expect("an upgrader");
        let declared = upgrader.operators().expect("operators");
        let verdicts = T::HISTORY.verdicts(&T::HISTORY.steps()[0]);
        Self {
            name,
            registry: Registry::new().with::<T>(),
            definition: T::DEFINITION,
            operators: declared.operators,
            prior: declared.prior_version().expect("a version"),
            current: PriorVersion::Model(model),
            verdicts,
        }
    }

    fn schema(&self, version: u64) -> &'static Schema {
        if version == 0 {
            self.prior.table().schema()
        } else {
            self.current.table().schema()
        }
    }

    /// States that a release of this version stores, complete.
    fn states(&self, version: u64) -> BTreeSet<String> {
        let form = if version == 0 {
            self.prior
        } else {
            self.current
        };
        let schema = form.table().schema();
        let mut states = States::seeded(self.name, version);
        let mut all = BTreeSet::new();
        for _ in 0..STATES {
            let mut value = states.object(schema.block().members());
            schema.block().settle(&mut value);
            let fits = value
                .conform(&schema.implied_type(), Unknown::Refuse)
                .is_ok()
                && unfit(&value, schema, form.judge()).0.is_empty();
            if fits && let Some(json) = self.canonical(version, &value) {
                all.insert(json);
            }
        }
        all
    }

    /// The state as a release of this version would write it; sets have no order.
    fn canonical(&self, version: u64, value: &Value) -> Option<String> {
        let ty = self.schema(version).implied_type();
        let mut value = value.clone();
        set::arrange(&mut value, &ty);
        let json = value.encode(&ty, Encoding::Json).ok()?;
        String::from_utf8(json).ok()
    }

    fn read(&self, version: u64, json: &[u8]) -> String {
        let schema = self.schema(version);
        let value = Value::from_json(json, &schema.implied_type(), UnknownAttributes::Deny)
            .expect("a state");
        self.canonical(version, &value).expect("a state")
    }

    fn up(&self, version: u64, json: &str) -> Result<String, String> {
        let response = self.registry.upgrade(&UpgradeRequest::json(
            self.definition.type_name(),
            version,
            json.as_bytes(),
        ));
        let state = response.state().map(|state| self.read(1, state));
        state.ok_or_else(|| response.diagnostics().to_string())
    }

    /// The state of version 0, or the losses, or the refusal.
    fn down(&self, json: &str) -> Down {
        let response = self.registry.downgrade(&DowngradeRequest::json(
            self.definition.type_name(),
            1,
            0,
            json.as_bytes(),
        ));
        match response.state() {
            Some(state) => Down::To(self.read(0, state)),
            None if response.losses().is_empty() => {
                Down::Refused(response.diagnostics().to_string())
            }
            None => Down::Loses(
                response
                    .losses()
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        }
    }

    fn check(&self, count: &mut Count, wrong: &mut Vec<String>) {
        let Verdicts { up, down } = &self.verdicts;
        let message = format!("up {up} | back {down}");
        let mut broken = BTreeMap::<&str, (usize, String)>::new();
        let mut fail = |what: &'static str, state: &str, message: String| {
            broken
                .entry(what)
                .or_insert_with(|| (0, format!("{state}\n    {message}")))
                .0 += 1;
        };
        for before in self.states(0) {
            count.up += 1;
            let current = match self.up(0, &before) {
                Ok(current) => current,
                Err(error) => {
                    count.refused += 1;
                    if up.verdict() == Verdict::Lossless && !refuses(up) {
                        fail("up refuses what it does not name", &before, error);
                    }
                    continue;
                }
            };
            let taken = self.down(&current);
            let is_up = up.verdict() == Verdict::Lossless && down.verdict() != Verdict::Impossible;
            match &taken {
                Down::To(prior) if is_up && *prior != before => {
                    fail(
                        "up is lossless, and going back gives another state",
                        &before,
                        prior.clone(),
                    );
                }
                Down::Refused(error) | Down::Loses(error) if is_up => {
                    fail(
                        "up is lossless, and what it made does not go back",
                        &before,
                        format!("{current}\n    {error}"),
                    );
                }
                Down::To(_) | Down::Refused(_) | Down::Loses(_) => {}
            }
            self.look_back(&current, taken, count, &mut fail);
        }
        for current in self.states(1) {
            let taken = self.down(&current);
            self.look_back(&current, taken, count, &mut fail);
        }
        for (what, (times, example)) in broken {
            wrong.push(format!(
                "{}: {what}, {times} times\n  {message}\n  {example}",
                self.name
            ));
        }
    }

    fn look_back(
        &self,
        current: &str,
        taken: Down,
        count: &mut Count,
        fail: &mut dyn FnMut(&'static str, &str, String),
    ) {
        let Verdicts { down, .. } = &self.verdicts;
        let is_lossless = down.verdict() == Verdict::Lossless;
        count.down += 1;
        match taken {
            Down::To(prior) => match self.up(0, &prior) {
                Ok(again) if again == current => {}
                Ok(again) => fail(
                    "a downgrade loses what it does not name",
                    current,
                    format!("{prior}\n    {again}"),
                ),
                Err(error) => fail("the older state cannot be upgraded", current, error),
            },
            Down::Loses(what) if is_lossless => fail("back is lossless, and loses", current, what),
            Down::Loses(_) => count.lost += 1,
            Down::Refused(error) => {
                count.refused += 1;
                if is_lossless && !refuses(down) {
                    fail(
                        "back is lossless, and refuses what it does not name",
                        current,
                        error,
                    );
                }
            }
        }
    }
}

enum Down {
    To(String),
    Loses(String),
    Refused(String),
}

fn refuses(direction: &Direction) -> bool {
    direction
        .remarks()
        .iter()
        .any(|remark| remark.weight == Weight::Refused)
}

/// Counts the cases of an operator, the states that were taken up and back, and those that were
/// lost or refused.
#[derive(Default)]
struct Count {
    cases: usize,
    up: usize,
    down: usize,
    lost: usize,
    refused: usize,
}

/// Each operator, as the table below counts it. A new one does not compile until it has a name
/// here, and is then missing there.
fn name(operation: &Operation) -> &'static str {
    use super::{EmptyText, Existing, Many, NoElement, Otherwise};
    match operation {
        Operation::Take(_, Existing::Unsaid) => "rename",
        Operation::Take(_, Existing::Keep) => "rename, keep",
        Operation::Take(_, Existing::Replace) => "rename, replace",
        Operation::Take(_, Existing::Refuse) => "rename, refuse",
        Operation::Copy(..) => "copy",
        Operation::Set(_) => "set",
        Operation::Default(..) => "default",
        Operation::NullIf(_) => "null_if",
        Operation::Convert(EmptyText::Unsaid) => "convert",
        Operation::Convert(EmptyText::Null) => "convert, empty = null",
        Operation::Convert(EmptyText::Zero) => "convert, empty = zero",
        Operation::Convert(EmptyText::Refuse) => "convert, empty = refuse",
        Operation::Json() => "convert, json",
        Operation::Named(Conversion::Length) => "convert, length",
        Operation::Named(Conversion::Lowercase) => "convert, lowercase",
        Operation::Named(Conversion::Seconds) => "convert, seconds",
        Operation::Named(Conversion::Milliseconds) => "convert, milliseconds",
        Operation::Named(Conversion::Trimmed) => "convert, trimmed",
        Operation::Function(Called { back: None, .. }) => "convert, with",
        Operation::Function(Called { back: Some(_), .. }) => "convert, with and back",
        Operation::Combine(_, Called { back: None, .. }) => "convert of several",
        Operation::Combine(_, Called { back: Some(_), .. }) => "convert of several, back",
        Operation::Values(_, Otherwise::Refuse) => "values",
        Operation::Values(_, Otherwise::Keep) => "values, keep",
        Operation::Values(_, Otherwise::Become(_)) => "values, become",
        Operation::Reformat(_, Otherwise::Refuse) => "reformat",
        Operation::Reformat(_, Otherwise::Keep) => "reformat, keep",
        Operation::Reformat(_, Otherwise::Become(_)) => "reformat, become",
        Operation::Compose(_) => "reformat of several",
        Operation::Extract(..) => "split into fields",
        Operation::Structure(Structure::Split(_)) => "split",
        Operation::Structure(Structure::Join(_)) => "join",
        Operation::Structure(Structure::Merge(_) | Structure::Entries()) => "merge",
        Operation::Structure(Structure::Unwrap(Many::Refuse, NoElement::Null)) => "unwrap",
        Operation::Structure(Structure::Unwrap(Many::First, _)) => "unwrap, many = first",
        Operation::Structure(Structure::Unwrap(Many::Refuse, NoElement::Object)) => {
            "unwrap, empty = object"
        }
        Operation::Structure(Structure::Unwrap(Many::Refuse, NoElement::Refuse)) => {
            "unwrap, empty = refuse"
        }
        Operation::Structure(Structure::Wrap(false)) => "wrap",
        Operation::Structure(Structure::Wrap(true)) => "wrap, empty = null",
        Operation::Structure(Structure::Enclose(_)) => "wrap, as",
        Operation::Structure(Structure::Member(_)) => "unwrap, member",
        Operation::Structure(Structure::Rekey(_, None)) => "rekey",
        Operation::Structure(Structure::Rekey(_, Some(_))) => "rekey, key and value",
        Operation::Structure(Structure::Zip(_)) => "zip",
        Operation::Structure(Structure::Filter(_)) => "filter",
        Operation::Structure(Structure::FilterKeys(_)) => "filter, key",
        Operation::Structure(Structure::Variants(_)) => "variants",
    }
}

/// All names above, and those of what is written beside operations.
const NAMES: &[&str] = &[
    "carry",
    "convert",
    "convert of several",
    "convert of several, back",
    "convert, empty = null",
    "convert, empty = refuse",
    "convert, empty = zero",
    "convert, json",
    "convert, length",
    "convert, lowercase",
    "convert, milliseconds",
    "convert, seconds",
    "convert, trimmed",
    "convert, with",
    "convert, with and back",
    "copy",
    "default",
    "drop",
    "drop, back",
    "each",
    "filter",
    "filter, key",
    "join",
    "merge",
    "null_if",
    "only_if",
    "refuse",
    "reformat",
    "reformat of several",
    "reformat, become",
    "reformat, keep",
    "rekey",
    "rekey, key and value",
    "rename",
    "rename, keep",
    "rename, refuse",
    "rename, replace",
    "set",
    "split",
    "split into fields",
    "unwrap",
    "unwrap, empty = object",
    "unwrap, empty = refuse",
    "unwrap, many = first",
    "unwrap, member",
    "values",
    "values, become",
    "values, keep",
    "variants",
    "warn",
    "wrap",
    "wrap, as",
    "wrap, empty = null",
    "zip",
];

/// The operators of an upgrader, also of those of nested objects.
fn used(
    operators: &'static Operators,
    from: Objects<'static>,
    to: Objects<'static>,
    found: &mut BTreeSet<&'static str>,
) {
    for stage in operators
        .productions
        .iter()
        .flat_map(|production| production.stages)
    {
        found.insert(name(&stage.operation));
        found.extend(stage.each.then_some("each"));
        found.extend(stage.only_if.map(|_| "only_if"));
    }
    found.extend(operators.drops.iter().map(|dropped| {
        if dropped.back.is_some() {
            "drop, back"
        } else {
            "drop"
        }
    }));
    found.extend(
        operators
            .notices
            .iter()
            .map(|notice| if notice.refuse { "refuse" } else { "warn" }),
    );
    for name in to.members.names() {
        let inside = |members: Members<'static>| match member(members, name)?.form {
            Form::Objects(objects, _) => Some(objects),
            Form::Plain(_) | Form::Made(_) | Form::Open => None,
        };
        match (inside(from.members), inside(to.members)) {
            (Some(from), Some(to)) if !from.origin.is(to.origin) => {
                used(to.origin.operators_from(from.origin), from, to, found);
            }
            _ => {}
        }
    }
    if found.is_empty() {
        found.insert("carry");
    }
}

#[test]
fn no_verdict_promises_more_than_states_show() {
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::<&str, Count>::new());
    for case in cases::all() {
        let (mut count, mut operators) = (Count::default(), BTreeSet::new());
        let objects =
            |schema: &'static Schema| Objects::new(schema.block().members(), Origin::NONE);
        used(
            case.operators,
            objects(case.schema(0)),
            objects(case.schema(1)),
            &mut operators,
        );
        case.check(&mut count, &mut wrong);
        if count.up == 0 || count.down == 0 {
            wrong.push(format!("{}: no state was made of it", case.name));
        }
        for operator in operators {
            let all = counts.entry(operator).or_default();
            all.cases += 1;
            all.up += count.up;
            all.down += count.down;
            all.lost += count.lost;
            all.refused += count.refused;
        }
    }
    println!("{:28} types  up  back  lost  refused", "operator");
    for (
        operator,
        Count {
            cases,
            up,
            down,
            lost,
            refused,
        },
    ) in &counts
    {
        println!("{operator:28} {cases:3} {up:6} {down:6} {lost:6} {refused:6}");
    }
    assert!(
        wrong.is_empty(),
        "{} wrong verdicts:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(
        counts.keys().copied().collect::<BTreeSet<_>>(),
        NAMES.iter().copied().collect(),
        "every operator is tried"
    );
}
