//! Every operator between every two types: what the compiler lets through, some value gets through,
//! and the other way round.
//!
//! The proofs of the compiler are called here as the functions they are, thousands of times in a
//! second.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::super::check::{Accounts, check_accounting, check_production};
use super::*;
use crate::codec::AttributeType;
use crate::upgrade::RawState;
use crate::upgrade::declared::{Declared, Prior};
use crate::upgrade::operators::function::Function;
use crate::upgrade::values::model_of;
use crate::{Diagnostics, Resource};
use upstate_words::key;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Obj {
    a: String,
}

#[derive(Debug, crate::Object)]
struct Pair {
    k: String,
    v: String,
}

#[derive(Debug, crate::Object)]
struct Holder {
    a: Obj,
}

#[derive(Debug, crate::Object)]
struct Key {
    k: String,
}

#[derive(Debug, crate::Object)]
struct Older {
    b: String,
}

#[derive(Debug, crate::Object)]
#[upgrade_from(model = Older, rename(b => a))]
struct Newer {
    a: String,
}

#[derive(Debug, crate::Object)]
struct NewerHolder {
    a: Newer,
}

#[derive(Debug, crate::Object)]
struct Wide {
    k: String,
    v: String,
    z: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, crate::StringEnum)]
enum Mode {
    Auto,
    Manual,
}

/// One type on both sides.
struct Kind {
    name: &'static str,
    prior: Prior,
    samples: &'static [&'static str],
    /// The field with a value in any case, and the one that may be null.
    checks: [Checks; 2],
    upgrade: fn(&'static Prior, &'static Operators, &str) -> Result<String, String>,
}

/// The checks that the compiler runs for an upgrader to a model.
#[derive(Clone, Copy)]
struct Checks {
    production: fn(&'static Table, &'static Operators, usize),
    accounting: fn(&'static Table, &'static Operators, &Accounts),
}

/// The JSON that a sample becomes, or the message that refuses it.
fn upgrade<T: Resource>(
    prior: &'static Prior,
    operators: &'static Operators,
    json: &str,
) -> Result<String, String> {
    let request = crate::upgrade::UpgradeRequest::new("example_thing", 0, None);
    let scope = crate::upgrade::context::Scope::new(&request, 1);
    let mut context = UpgradeContext::new(&scope);
    let state = format!(r#"{{"x":{json}}}"#);
    let message = |errors: Diagnostics| {
        errors
            .iter()
            .map(|error| error.detail().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    };
    let value = Declared {
        operators,
        prior,
        awaits: false,
    }
    .upgrade(
        0,
        RawState::Json(state.as_bytes()),
        T::schema(),
        &mut context,
    );
    let model = model_of::<T>(&value.map_err(message)?).map_err(|error| error.to_string())?;
    let json = String::from_utf8(crate::to_json(&model).unwrap()).unwrap();
    Ok(json[5..json.len() - 1].to_owned())
}

macro_rules! kinds {
    ($($name:ident: $ty:ty = $samples:expr;)*) => {
        $(mod $name {
            #[allow(unused_imports, reason = "not all of them are of types defined here")]
            use super::*;
            #[derive(Debug, crate::Resource)]
            #[resource(type_name = "example_thing", version = 0)]
            pub(super) struct Before { x: $ty }
            #[derive(Debug, crate::Resource)]
            #[resource(type_name = "example_thing", version = 1, prior)]
            pub(super) struct After { x: $ty }
            #[derive(Debug, crate::Resource)]
            #[resource(type_name = "example_thing", version = 1, prior)]
            pub(super) struct Perhaps { x: Option<$ty> }
        })*
        fn kinds() -> Vec<Kind> {
            vec![$(Kind {
                name: stringify!($name),
                prior: Prior::model::<$name::Before>(),
                samples: $samples,
                checks: [
                    Checks { production: check_production::<$name::After>, accounting: check_accounting::<$name::After> },
                    Checks { production: check_production::<$name::Perhaps>, accounting: check_accounting::<$name::Perhaps> },
                ],
                upgrade: upgrade::<$name::Perhaps>,
            }),*]
        }
    };
}

kinds! {
    text: String = &[
        r#""{\"k\":\"x\"}""#,
        r#""{\"b\":\"x\"}""#, r#""[{\"b\":\"x\"}]""#,
        r#""5""#, r#""a""#, r#""true""#, r#""auto""#, r#""\"a\"""#, r#""{\"a\":\"x\"}""#, r#""{\"k\":\"x\",\"v\":\"y\"}""#,
        r#""{\"a\":1}""#, r#""{\"a\":{\"a\":\"x\"}}""#, r#""[\"q\"]""#, r#""[[\"q\"]]""#, r#""{\"k\":{\"a\":\"b\"}}""#, r#""[{\"a\":\"b\"}]""#,
        r#""[{\"k\":\"b\",\"v\":\"c\",\"z\":null}]""#, r#""[{\"k\":\"b\",\"v\":\"c\"}]""#, r#""[1]""#, r#""z""#, r#"" 1h30m""#, r#""1h30m""#,
    ];
    int: i64 = &["5", "0", "1"];
    boolean: bool = &["true", "false"];
    mode: Mode = &[r#""auto""#, r#""manual""#];
    list: Vec<String> = &[r#"["{\"b\":\"x\"}"]"#, r#"["a"]"#, r#"["a","b"]"#, r#"["1"]"#, r#"["auto"]"#, r#"["[\"q\"]"]"#, r#"["{\"a\":\"x\"}"]"#, r#"["{\"k\":\"x\",\"v\":\"y\"}"]"#, r#"["{\"k\":\"x\",\"v\":\"y\",\"z\":null}"]"#];
    numbers: Vec<i64> = &["[1]", "[1,2]"];
    set: BTreeSet<String> = &[r#"["1","a"]"#,r#"["{\"b\":\"x\"}"]"#, r#"["a"]"#, r#"["1"]"#, r#"["auto"]"#, r#"["[\"q\"]"]"#, r#"["{\"a\":\"x\"}"]"#, r#"["{\"k\":\"x\",\"v\":\"y\"}"]"#, r#"["{\"k\":\"x\",\"v\":\"y\",\"z\":null}"]"#];
    map: BTreeMap<String, String> = &[r#"{"k":"1"}"#, r#"{"b":"1"}"#, r#"{"a":"1"}"#, r#"{"k":"1","v":"2"}"#, r#"{"a":"auto"}"#, r#"{"a":"{\"a\":\"x\"}"}"#];
    object: Obj = &[r#"{"a":"x"}"#, r#"{"a":"1"}"#, r#"{"a":"auto"}"#];
    pair: Pair = &[r#"{"k":"x","v":"y"}"#, r#"{"k":"1","v":"2"}"#];
    objects: Vec<Obj> = &[r#"[{"a":"x"}]"#, r#"[{"a":"x"},{"a":"y"}]"#];
    pairs: Vec<Pair> = &[r#"[{"k":"x","v":"y"}]"#];
    wides: Vec<Wide> = &[r#"[{"k":"x","v":"y","z":null}]"#, r#"[{"k":"x","v":"y","z":"z"}]"#];
    object_map: BTreeMap<String, Obj> = &[r#"{"k":{"a":"x"}}"#, r#"{"b":{"a":"x"}}"#, r#"{"a":{"a":"x"}}"#, r#"{"k":{"a":"1"},"v":{"a":"2"}}"#, r#"{"k":{"a":"x"}}"#, r#"{"k":{"a":"k"}}"#];
    maps: Vec<BTreeMap<String, String>> = &[r#"[{"k":"1"}]"#, r#"[{"b":"1"}]"#, r#"[{"a":"1"}]"#, r#"[{"k":"1","v":"2"}]"#, r#"[{"a":"1","k":"1"}]"#];
    counts: BTreeMap<String, i64> = &[r#"{"a":1}"#, r#"{"k":1,"v":0}"#];
    holder: Holder = &[r#"{"a":{"a":"a"}}"#, r#"{"a":{"a":"x"}}"#, r#"{"a":{"a":"auto"}}"#];
    object_set: BTreeSet<Obj> = &[r#"[{"a":"x"}]"#, r#"[{"a":"x"},{"a":"y"}]"#];
    key: Key = &[r#"{"k":"x"}"#, r#"{"k":"1"}"#];
    older: Older = &[r#"{"b":"1"}"#, r#"{"b":"x"}"#];
    olders: Vec<Older> = &[r#"[{"b":"x"}]"#];
    newer: Newer = &[r#"{"a":"1"}"#, r#"{"a":"x"}"#];
    newers: Vec<Newer> = &[r#"[{"a":"x"}]"#];
    newer_holder: NewerHolder = &[r#"{"a":{"a":"a"}}"#, r#"{"a":{"a":"x"}}"#];
    lists: Vec<Vec<String>> = &[r#"[["a"]]"#, r#"[["1"]]"#];
}

/// All upgraders here make the one field, of the one field.
const ACCOUNTS: Accounts = Accounts {
    taken: &[],
    named: &[key("x")],
    made: &[key("x")],
    kept: &[],
    parts: &[],
};
const NO_ACCOUNTS: Accounts = Accounts {
    taken: &[],
    named: &[],
    made: &[],
    kept: &[],
    parts: &[],
};
const A: Match = Match::Literal(Literal::String("z"));
const TABLE: &[(Literal, Literal)] = &[(Literal::String("a"), Literal::String("b"))];
const AUTO: &[(Literal, Literal)] = &[
    (Literal::String("a"), Literal::String("auto")),
    (Literal::String("auto"), Literal::String("auto")),
];
const ANY: Pattern = Pattern {
    pieces: &[Piece::Rest("a")],
    ignore_case: false,
};
const Z: Pattern = Pattern {
    pieces: &[Piece::Text("z")],
    ignore_case: false,
};
const AS_IT_IS: &[Segment] = &[Segment::Text("z"), Segment::Found("a", Letters::AsIs)];

fn operations() -> Vec<(&'static str, Stage)> {
    let convert = |empty| Stage::new(Operation::Convert(empty));
    let json = Stage::new(Operation::Json());
    let split = Stage::new(Operation::Structure(Structure::Split(",")));
    let unwrap = Stage::new(Operation::Structure(Structure::Unwrap(
        Many::Refuse,
        NoElement::Null,
    )));
    let wrap = Stage::new(Operation::Structure(Structure::Wrap(false)));
    let enclose = Stage::new(Operation::Structure(Structure::Enclose("a")));
    let member = Stage::new(Operation::Structure(Structure::Member("a")));
    let values = Stage::new(Operation::Values(TABLE, Otherwise::Keep));
    let key_and_value = Stage::new(Operation::Structure(Structure::Rekey("k", Some("v"))));
    vec![
        ("convert(x)", convert(EmptyText::Unsaid)),
        ("convert(x, empty = null)", convert(EmptyText::Null)),
        ("convert(x, empty = zero)", convert(EmptyText::Zero)),
        ("convert(x, json)", json),
        (
            "convert(x, length)",
            Stage::new(Operation::Named(Conversion::Length)),
        ),
        (
            "convert(x, seconds)",
            Stage::new(Operation::Named(Conversion::Seconds)),
        ),
        (
            "convert(x, milliseconds)",
            Stage::new(Operation::Named(Conversion::Milliseconds)),
        ),
        (
            "convert(x, trimmed)",
            Stage::new(Operation::Named(Conversion::Trimmed)),
        ),
        (
            "convert(x, lowercase)",
            Stage::new(Operation::Named(Conversion::Lowercase)),
        ),
        (
            "each(convert(x, trimmed))",
            Stage::new(Operation::Named(Conversion::Trimmed)).each(),
        ),
        (
            "filter(x, key = \"z\")",
            Stage::new(Operation::Structure(Structure::FilterKeys(&[Z]))),
        ),
        ("split(x, \",\")", split),
        (
            "join(x, \",\")",
            Stage::new(Operation::Structure(Structure::Join(","))),
        ),
        (
            "zip(x, x => x)",
            Stage::new(Operation::Structure(Structure::Zip(&[&["x"], &["x"]]))),
        ),
        (
            "merge(x)",
            Stage::new(Operation::Structure(Structure::Entries())),
        ),
        ("unwrap(x)", unwrap),
        ("wrap(x)", wrap),
        ("wrap(x, as = a)", enclose),
        ("unwrap(x, member = a)", member),
        (
            "rekey(x, by = a)",
            Stage::new(Operation::Structure(Structure::Rekey("a", None))),
        ),
        (
            "rekey(x, by = k)",
            Stage::new(Operation::Structure(Structure::Rekey("k", None))),
        ),
        ("rekey(x, key = k, value = v)", key_and_value),
        (
            "filter(x, \"z\")",
            Stage::new(Operation::Structure(Structure::Filter(&[A]))),
        ),
        ("null_if(x, \"z\")", Stage::new(Operation::NullIf(&[A]))),
        ("values(x, …)", values),
        (
            "values(x, … => auto)",
            Stage::new(Operation::Values(AUTO, Otherwise::Refuse)),
        ),
        (
            "reformat(x, …)",
            Stage::new(Operation::Reformat(&[(ANY, AS_IT_IS)], Otherwise::Refuse)),
        ),
        (
            "set(x = \"auto\")",
            Stage::new(Operation::Set(Constant::Literal(Literal::String("auto")))),
        ),
        (
            "set(x = [])",
            Stage::new(Operation::Set(Constant::Literal(Literal::EmptyList))),
        ),
        (
            "set(x = {})",
            Stage::new(Operation::Set(Constant::Literal(Literal::EmptyMap))),
        ),
        (
            "set(x = true)",
            Stage::new(Operation::Set(Constant::Literal(Literal::Bool(true)))),
        ),
        (
            "default(x = \"auto\")",
            Stage::new(Operation::Default(
                Constant::Literal(Literal::String("auto")),
                &[NULL],
            )),
        ),
        ("each(convert(x))", convert(EmptyText::Unsaid).each()),
        (
            "each(convert(x, empty = zero))",
            convert(EmptyText::Zero).each(),
        ),
        ("each(convert(x, json))", json.each()),
        ("each(split(x, \",\"))", split.each()),
        ("each(wrap(x))", wrap.each()),
        ("each(wrap(x, as = a))", enclose.each()),
        ("each(unwrap(x))", unwrap.each()),
        ("each(unwrap(x, member = a))", member.each()),
        ("each(values(x, …))", values.each()),
    ]
}

/// The message with which the compiler refuses an upgrader with these stages, if it refuses it.
fn refusal(prior: &Prior, checks: Checks, operators: &'static Operators) -> Option<String> {
    let accounts = if operators.productions.is_empty() {
        &NO_ACCOUNTS
    } else {
        &ACCOUNTS
    };
    let checked = catch_unwind(AssertUnwindSafe(|| {
        (0..operators.productions.len())
            .for_each(|index| (checks.production)(prior.table(), operators, index));
        (checks.accounting)(prior.table(), operators, accounts);
    }));
    let message = checked.err()?;
    Some(
        message
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| {
                message
                    .downcast_ref::<&str>()
                    .map(|message| (*message).to_owned())
            })
            .unwrap(),
    )
}

fn upgrader(stages: Vec<Stage>) -> &'static Operators {
    let drops: &[Dropped] = match stages[0].operation {
        Operation::Set(_) => const { &[Dropped::new(&["x"], "it is set")] },
        _ => &[],
    };
    let stages: &'static [Stage] = Box::leak(stages.into_boxed_slice());
    let productions = Box::leak(Box::new([Production {
        target: &["x"],
        stages,
    }]));
    Box::leak(Box::new(Operators {
        productions,
        drops,
        notices: &[],
        declassified: &[],
    }))
}

/// Parts of the messages that demand something even where some states could do without it.
const DEMANDED: &[&str] = &[
    "it may be null, and the field may not",
    "help: add `empty = ",
    "and no upgrade between the two is declared",
    "the field takes fewer values than it did",
    "which the field does not take",
    "whose order and repeated elements a set does not keep",
    "has no member `k`, so the elements of `x` cannot be found by it",
    "`each` acts on the elements of a collection, but `x` is none",
    "it was a dynamic value",
    "help: `each(convert(x))` converts its elements",
    "`unwrap(x), convert(x)`",
    "help: write `unwrap(x, member = member), convert(x)`",
    "help: write `wrap(x), each(convert(x))`",
];

/// Pairs of types that work only where names happen to be the same at different depths.
const LUCKY: [(&str, &str); 4] = [
    ("object_map", "holder"),
    ("holder", "object_map"),
    ("object_map", "newer_holder"),
    ("newer_holder", "object_map"),
];

const CARRIED: &Operators = &Operators {
    productions: &[],
    drops: &[],
    notices: &[],
    declassified: &[],
};

/// The finding about one upgrader.
enum Verdict {
    /// The compiler is right.
    Right,
    /// The compiler lets through what never works.
    Lax(String),
    /// The compiler refuses what works.
    Strict(String),
}

fn verdict(stages: &[Stage], prior: &'static Kind, target: &Kind) -> [Verdict; 2] {
    let operators = if stages.is_empty() {
        CARRIED
    } else {
        upgrader(stages.to_vec())
    };
    let run = |operators, sample: &&str| (target.upgrade)(&prior.prior, operators, sample);
    let results: Vec<_> = prior
        .samples
        .iter()
        .map(|sample| run(operators, sample))
        .collect();
    // An empty value has been lost, unless the upgrader says so.
    let is_set = stages
        .iter()
        .any(|stage| matches!(stage.operation, Operation::Set(_)));
    let is_made = |result: &String| is_set || !matches!(result.as_str(), "null" | "[]" | "{}");
    let made = |result: &Result<String, String>| result.as_ref().is_ok_and(is_made);
    // A function gets every value that the field may hold.
    let works = match stages {
        [
            Stage {
                operation: Operation::Function(..),
                ..
            },
        ] => results.iter().all(made),
        _ => results.iter().any(made),
    };
    target.checks.map(
        |checks| match (works, refusal(&prior.prior, checks, operators)) {
            (true, None) | (false, Some(_)) => Verdict::Right,
            (false, None) => Verdict::Lax(format!(
                "{:?}",
                results
                    .iter()
                    .find(|result| result.is_err())
                    .unwrap_or(&results[0])
            )),
            (true, Some(message)) => {
                // A stage that does nothing, or fits by chance, may be refused.
                let is_lucky = LUCKY.contains(&(prior.name, target.name));
                let same = |others: &[Stage]| {
                    let operators = if others.is_empty() {
                        CARRIED
                    } else {
                        upgrader(others.to_vec())
                    };
                    std::iter::zip(prior.samples, &results).all(|(sample, result)| {
                        result.is_err() || run(operators, sample) == *result
                    })
                };
                let is_idle = (0..stages.len()).any(|index| {
                    let mut others = stages.to_vec();
                    others.remove(index);
                    same(&others)
                });
                // That an object is made of a map of the same entries is to be said, by a
                // `convert`.
                let is_idle = is_idle
                    && !matches!(
                        stages,
                        [Stage {
                            operation: Operation::Convert(..),
                            ..
                        }]
                    )
                    || stages.is_empty();
                if is_lucky || is_idle || DEMANDED.iter().any(|demanded| message.contains(demanded))
                {
                    Verdict::Right
                } else {
                    Verdict::Strict(format!("{results:?}: {message}"))
                }
            }
        },
    )
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs with the panics of this thread unseen: they are the answers.
fn quietly<T>(run: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                before(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = run();
    QUIET.set(false);
    result
}

fn all_verdicts(
    upgraders: &[(String, Vec<Stage>)],
    kinds: &'static [Kind],
) -> (usize, String, String) {
    let (mut count, mut lax, mut strict) = (0, String::new(), String::new());
    for (spelt, stages) in upgraders {
        for (prior, target) in kinds
            .iter()
            .flat_map(|prior| kinds.iter().map(move |target| (prior, target)))
        {
            for (verdict, perhaps) in std::iter::zip(verdict(stages, prior, target), ["", "?"]) {
                count += 1;
                let upgrader = format!("{spelt}: {} => {}{perhaps}", prior.name, target.name);
                match verdict {
                    Verdict::Right => {}
                    Verdict::Lax(because) => writeln!(lax, "{upgrader}: {because}").unwrap(),
                    Verdict::Strict(because) => writeln!(strict, "{upgrader}: {because}").unwrap(),
                }
            }
        }
    }
    (count, lax, strict)
}

#[test]
fn what_the_compiler_lets_through_works_on_some_state_and_the_other_way_round() {
    let kinds = Box::leak(kinds().into_boxed_slice());
    let mut upgraders: Vec<_> = operations()
        .into_iter()
        .map(|(spelt, stage)| (spelt.to_owned(), vec![stage]))
        .collect();
    upgraders.push(("carry".to_owned(), vec![]));
    let (count, lax, strict) = quietly(|| all_verdicts(&upgraders, kinds));
    assert_eq!(count, upgraders.len() * kinds.len() * kinds.len() * 2);
    assert_eq!(lax, "", "the compiler lets through what never works");
    assert_eq!(strict, "", "the compiler refuses what works");
}

/// Operators one after the other: nothing that works is refused, unless one of them does nothing.
#[test]
fn what_two_operators_do_one_after_the_other_is_let_through() {
    const STRUCTURE: [&str; 12] = [
        "convert(x)",
        "convert(x, empty = zero)",
        "convert(x, json)",
        "split(x, \",\")",
        "join(x, \",\")",
        "unwrap(x)",
        "wrap(x)",
        "wrap(x, as = a)",
        "unwrap(x, member = a)",
        "rekey(x, by = k)",
        "rekey(x, key = k, value = v)",
        "each(convert(x, empty = zero))",
    ];
    const KINDS: [&str; 8] = [
        "text",
        "int",
        "list",
        "map",
        "object",
        "objects",
        "pairs",
        "object_map",
    ];
    let kinds: Vec<_> = kinds()
        .into_iter()
        .filter(|kind| KINDS.contains(&kind.name))
        .collect();
    let kinds = Box::leak(kinds.into_boxed_slice());
    let operations: Vec<_> = operations()
        .into_iter()
        .filter(|(spelt, _)| STRUCTURE.contains(spelt))
        .collect();
    let pairs = operations
        .iter()
        .flat_map(|first| operations.iter().map(move |second| (first, second)));
    // A value that is put into an object and taken out again may only be read differently.
    let returns = |(a, b): &(&(_, Stage), &(_, Stage))| {
        matches!(
            (a.1.operation, b.1.operation),
            (
                Operation::Structure(Structure::Enclose(_)),
                Operation::Structure(Structure::Member(_))
            )
        )
    };
    let pairs = pairs.filter(|pair| !returns(pair));
    let upgraders: Vec<_> = pairs
        .map(|(a, b)| (format!("{}, {}", a.0, b.0), vec![a.1, b.1]))
        .collect();
    let (count, lax, strict) = quietly(|| all_verdicts(&upgraders, kinds));
    assert_eq!(count, upgraders.len() * kinds.len() * kinds.len() * 2);
    assert_eq!(strict, "", "the compiler refuses what works");
    assert!(
        lax.lines().count() < count / 5,
        "{} of {count} never work",
        lax.lines().count()
    );
}

/// Functions of every type for fields of every type: one compiles if it takes every value of the
/// field.
#[test]
fn a_function_takes_what_the_field_may_hold() {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the signature that operators ask for"
    )]
    fn take<A>(_: A) -> Result<String, Diagnostics> {
        Ok("taken".to_owned())
    }
    fn stage<A: AttributeType + 'static>() -> Stage {
        let function: &'static Function<A, String> = Box::leak(Box::new(Function::new(take::<A>)));
        Stage::new(Operation::function(function))
    }
    let stages = [
        ("String", stage::<String>()),
        ("i64", stage::<i64>()),
        ("bool", stage::<bool>()),
        ("Option<String>", stage::<Option<String>>()),
        ("Vec<String>", stage::<Vec<String>>()),
        ("BTreeSet<String>", stage::<BTreeSet<String>>()),
        ("Vec<i64>", stage::<Vec<i64>>()),
        (
            "BTreeMap<String, String>",
            stage::<BTreeMap<String, String>>(),
        ),
        (
            "Vec<BTreeMap<String, String>>",
            stage::<Vec<BTreeMap<String, String>>>(),
        ),
        ("Vec<Vec<String>>", stage::<Vec<Vec<String>>>()),
        ("(String, String)", stage::<(String, String)>()),
    ];
    let kinds: &'static [Kind] = Box::leak(kinds().into_boxed_slice());
    let target = kinds.iter().find(|kind| kind.name == "text").unwrap();
    let mut wrong = String::new();
    for (spelt, stage) in stages {
        for prior in kinds {
            for verdict in quietly(|| verdict(&[stage], prior, target)) {
                match verdict {
                    Verdict::Right => {}
                    Verdict::Lax(because) => {
                        writeln!(
                            wrong,
                            "{spelt} of {} does not always work: {because}",
                            prior.name
                        )
                        .unwrap();
                    }
                    Verdict::Strict(because) => {
                        writeln!(wrong, "{spelt} of {} works: {because}", prior.name).unwrap();
                    }
                }
            }
        }
    }
    assert_eq!(wrong, "");
}
