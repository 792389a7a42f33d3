//! The memory that reading a state takes, beside the memory that the service charges for it before
//! it reads.
//!
//! The states are those with which a client makes it take the most: each repeats one thing, as
//! short or with as long names as can be.

#![allow(clippy::pedantic, reason = "numbers are shown as ratios")]

#[allow(
    dead_code,
    unreachable_pub,
    clippy::pedantic,
    reason = "the benches count more with it"
)]
#[path = "../../benches/src/allocations.rs"]
mod allocations;

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use allocations::Counting;
use upstate_server::__internal::content::{Content, memory_to_read};
use upstate_server::__internal::model::VersionId;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Held while a test counts, because the counters are those of the process, in which the other test
/// runs meanwhile.
static COUNTING: Mutex<()> = Mutex::new(());

/// Sizes of states. A vector doubles its room when it is full, so its peak depends on how far its
/// length is beyond a power of two.
const SIZES: [usize; 4] = [256 << 10, 305 << 10, 362 << 10, 431 << 10];

/// A state of about `size` bytes that repeats `one` between `before` and `after`.
fn state(size: usize, [before, after]: [&str; 2], one: &dyn Fn(usize) -> String) -> Vec<u8> {
    let mut text =
        format!(r#"{{"version":4,"terraform_version":"1.15.5","serial":1,"lineage":"l",{before}"#);
    for number in 0.. {
        if text.len() + after.len() >= size {
            break;
        }
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{}", one(number));
    }
    text.push_str(after);
    text.push('}');
    text.into_bytes()
}

/// The most bytes that are allocated while a state is read and made the content of a version.
fn peak(bytes: &[u8]) -> usize {
    let version = VersionId::new();
    Counting::peak(|| {
        let content = Content::read(bytes);
        std::hint::black_box((
            content.outputs_of(&version),
            content.summary.clone(),
            content.types.clone(),
        ));
    })
}

fn resource(module: &str, kind: &str, name: &str, provider: &str, instances: &str) -> String {
    format!(
        r#"{{"module":"module.{module}","mode":"data","type":"{kind}","name":"{name}","provider":"provider.{provider}","instances":[{instances}]}}"#
    )
}

const OUTPUTS: [&str; 2] = [r#""outputs":{"#, "}"];
const RESOURCES: [&str; 2] = [r#""resources":["#, "]"];
const INSTANCES: [&str; 2] = [
    r#""resources":[{"mode":"managed","type":"a","name":"b","provider":"provider.p","instances":["#,
    "]}]",
];
const ATTRIBUTES: [&str; 2] = [
    r#""resources":[{"mode":"managed","type":"a","name":"b","provider":"provider.p","instances":[{"attributes":{"#,
    "}}]}]",
];
const FLAT: [&str; 2] = [
    r#""resources":[{"mode":"managed","type":"a","name":"b","provider":"provider.p","instances":[{"attributes_flat":{"#,
    "}}]}]",
];

#[test]
fn reading_a_state_takes_no_more_than_is_charged() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let long = &"x".repeat(2000);
    type One<'a> = &'a dyn Fn(usize) -> String;
    let shapes: [(&str, [&str; 2], One<'_>); 20] = [
        ("outputs", OUTPUTS, &|n| {
            format!(r#""{n:x}":{{"value":1,"type":"number"}}"#)
        }),
        ("long outputs", OUTPUTS, &|n| {
            format!(r#""{n:x}{long}":{{"value":"{long}","type":"string"}}"#)
        }),
        ("resources", RESOURCES, &|n| {
            resource("m", "t", &format!("{n:x}"), "p", "")
        }),
        ("resources of nothing", RESOURCES, &|_| "{}".to_owned()),
        ("types", RESOURCES, &|n| {
            resource("m", &format!("{n:x}"), "r", "p", "{}")
        }),
        ("modules", RESOURCES, &|n| {
            resource(&format!("{n:x}"), "t", "r", "p", "{}")
        }),
        ("providers", RESOURCES, &|n| {
            resource("m", "t", &format!("{n:x}"), &format!("{n:x}"), "{}")
        }),
        ("all of a resource", RESOURCES, &|n| {
            resource(
                &format!("{n:x}"),
                &format!("{n:x}"),
                "r",
                &format!("{n:x}"),
                "{}",
            )
        }),
        ("long types", RESOURCES, &|n| {
            resource("m", &format!("{n:x}{long}"), "r", "p", "{}")
        }),
        ("long names", RESOURCES, &|n| {
            resource("m", "t", &format!("{n:x}{long}"), "p", "{}")
        }),
        ("all long", RESOURCES, &|n| {
            resource(
                &format!("{n:x}{long}"),
                &format!("{n:x}{long}"),
                long,
                &format!("{n:x}{long}"),
                "{}",
            )
        }),
        ("instances", INSTANCES, &|n| {
            format!(r#"{{"index_key":{n}}}"#)
        }),
        ("second instances", INSTANCES, &|_| "{}".to_owned()),
        ("instances by name", INSTANCES, &|n| {
            format!(r#"{{"index_key":"\u0020{n:x}{long}"}}"#)
        }),
        ("versions", INSTANCES, &|n| {
            format!(r#"{{"schema_version":{n},"index_key":{n}}}"#)
        }),
        ("identities", INSTANCES, &|n| {
            format!(r#"{{"identity_schema_version":{n},"index_key":{n}}}"#)
        }),
        ("attributes", ATTRIBUTES, &|n| format!(r#""{n:x}":1"#)),
        ("long attributes", ATTRIBUTES, &|n| {
            format!(r#""{n:x}{long}":1"#)
        }),
        ("flat attributes", FLAT, &|n| format!(r#""{n:x}":"1""#)),
        ("long flat attributes", FLAT, &|n| {
            format!(r#""{n:x}{long}":"{long}""#)
        }),
    ];
    for (what, around, one) in shapes {
        for size in SIZES {
            let bytes = state(size, around, one);
            let (peak, charged) = (peak(&bytes), memory_to_read(&bytes));
            let times = |bytes_of_memory: usize| bytes_of_memory as f64 / bytes.len() as f64;
            println!(
                "{what:20} {:7} bytes: {:6.1} x, charged {:6.1} x",
                bytes.len(),
                times(peak),
                times(charged)
            );
            assert!(
                peak <= charged,
                "{what}: {} bytes take {peak}, and {charged} are charged",
                bytes.len()
            );
        }
    }
}

/// What real states are charged beyond what they take keeps others waiting.
#[test]
fn a_state_of_terraform_is_not_charged_much_more_than_it_takes() {
    let _alone = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = include_bytes!("../../examples/state/terraform.tfstate");
    let (peak, charged) = (peak(bytes), memory_to_read(bytes));
    println!(
        "{} bytes take {peak}, and {charged} are charged",
        bytes.len()
    );
    assert!(
        peak <= charged && charged <= 16 * bytes.len(),
        "{peak} {charged}"
    );
}
