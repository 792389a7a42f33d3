//! Batches: order, isolation, progress and cancellation, whatever the number of threads.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use upstate::batch::{Batch, Progress, Undone};
use upstate::upgrade::CancellationToken;
use upstate::{Registry, Resource, UpgradeRequest, UpgradeResponse};

#[derive(Debug, Resource)]
#[resource(type_name = "example_note", version = 1)]
#[upgrade_from(0, model = NoteV0)]
struct Note {
    title: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_note", version = 0)]
struct NoteV0 {
    name: String,
}

impl TryFrom<NoteV0> for Note {
    type Error = String;

    fn try_from(prior: NoteV0) -> Result<Self, String> {
        match prior.name.as_str() {
            "panics" => panic!("met it"),
            "fails" => Err("it is not wanted".to_owned()),
            _ => Ok(Note { title: prior.name }),
        }
    }
}

const COUNTS: [usize; 5] = [1, 2, 3, 8, 64];

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn quietly() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !upstate::upgrade::upgrade_in_progress() {
            usual(info);
        }
    }));
}

fn stored(count: usize) -> Vec<String> {
    (0..count)
        .map(|index| match index % 50 {
            7 => r#"{"name":"panics"}"#.to_owned(),
            11 => r#"{"name":"fails"}"#.to_owned(),
            13 => r#"{"name":["#.to_owned(),
            _ => format!(r#"{{"name":"{index}"}}"#),
        })
        .collect()
}

fn requests(stored: &[String]) -> Vec<UpgradeRequest<'_>> {
    stored
        .iter()
        .map(|json| UpgradeRequest::json("example_note", 0, json.as_bytes()))
        .collect()
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    quietly();
    let registry = Registry::new().with::<Note>();
    let stored = stored(2000);
    let one_by_one: Vec<UpgradeResponse> = requests(&stored)
        .iter()
        .map(|request| registry.upgrade(request))
        .collect();
    assert_eq!(
        one_by_one
            .iter()
            .filter(|response| response.state().is_none())
            .count(),
        120
    );
    for count in COUNTS {
        assert_eq!(
            Batch::new()
                .threads(threads(count))
                .upgrade(&registry, &requests(&stored)),
            one_by_one,
            "{count} threads"
        );
    }
    assert_eq!(
        Batch::new().upgrade(&registry, &requests(&stored)),
        one_by_one
    );
    assert!(Batch::new().upgrade(&registry, &[]).is_empty());
}

#[test]
fn progress_is_told_in_growing_counts_up_to_the_end() {
    quietly();
    let registry = Registry::new().with::<Note>();
    let stored = stored(500);
    for count in COUNTS {
        let mut told: Vec<Progress> = Vec::new();
        drop(
            Batch::new()
                .threads(threads(count))
                .on_progress(|now| told.push(now))
                .upgrade(&registry, &requests(&stored)),
        );
        assert!(
            told.windows(2)
                .all(|pair| pair[0].done < pair[1].done && pair[0].failed <= pair[1].failed)
        );
        let last = told.last().unwrap();
        assert_eq!((last.done, last.failed, last.total), (500, 30, Some(500)));
    }
}

#[test]
fn a_stopped_batch_answers_every_request_and_names_those_without_a_turn() {
    let registry = Registry::new().with::<Note>();
    let stored: Vec<String> = (0..1000)
        .map(|index| format!(r#"{{"name":"{index}"}}"#))
        .collect();
    for count in COUNTS {
        let begun = AtomicUsize::new(0);
        let stop = || begun.fetch_add(1, Ordering::Relaxed) > 300;
        let responses = Batch::new()
            .threads(threads(count))
            .stop_when(&stop)
            .upgrade(&registry, &requests(&stored));
        assert_eq!(responses.len(), 1000);
        let upgraded = responses
            .iter()
            .filter(|response| response.state().is_some())
            .count();
        assert!((1..=301).contains(&upgraded), "{upgraded}");
        assert_eq!(
            responses[999].diagnostics().to_string(),
            "error: Upgrade Cancelled\nThe state was not upgraded: the batch was stopped before its turn. \
             The stored state is unchanged.\n\nResource type example_note, stored at schema version 0."
        );
    }
}

#[test]
fn a_cancelled_batch_has_no_turn_left() {
    let registry = Registry::new().with::<Note>();
    let stored: Vec<String> = (0..100)
        .map(|index| format!(r#"{{"name":"{index}"}}"#))
        .collect();
    let cancellation = CancellationToken::new();
    for count in COUNTS {
        let batch = || {
            Batch::new()
                .threads(threads(count))
                .with_cancellation(&cancellation)
        };
        assert!(
            batch()
                .upgrade(&registry, &requests(&stored))
                .iter()
                .all(|response| response.state().is_some())
        );
    }
    cancellation.cancel();
    let responses = Batch::new()
        .with_cancellation(&cancellation)
        .upgrade(&registry, &requests(&stored));
    assert!(responses.iter().all(|response| {
        response
            .diagnostics()
            .to_string()
            .starts_with("error: Upgrade Cancelled")
    }));
}

#[test]
fn any_work_is_isolated_and_in_order() {
    let items: Vec<usize> = (0..300).collect();
    for count in COUNTS {
        let outcomes = Batch::new().threads(threads(count)).map(&items, |item| {
            if item % 100 == 3 {
                // Without a message on the terminal, and with something that panics again when it
                // is dropped.
                std::panic::resume_unwind(Box::new(PanicsWhenDropped));
            }
            item * 2
        });
        for (index, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(
                outcome,
                if index % 100 == 3 {
                    Err(Undone::Panicked)
                } else {
                    Ok(index * 2)
                }
            );
        }
    }
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("again"));
        }
    }
}

#[test]
fn a_stream_is_read_only_a_little_ahead() {
    for count in COUNTS {
        let read = Cell::new(0);
        let mut taken = 0;
        let mut furthest = 0;
        let items = (0..200_000_usize)
            .inspect(|_| read.set(read.get() + 1))
            .filter(|_| true);
        let progress = Batch::new().threads(threads(count)).stream(
            items,
            |item| item + 1,
            |item, outcome| {
                assert_eq!((item, outcome), (taken, Ok(taken + 1)));
                taken += 1;
                furthest = furthest.max(read.get() - taken);
            },
        );
        assert_eq!(
            (taken, progress.done, progress.total),
            (200_000, 200_000, None)
        );
        assert!(
            furthest <= count * 4 * 1024,
            "{furthest} items in memory on {count} threads"
        );
    }
}

#[test]
fn a_stopped_stream_asks_for_no_more() {
    let read = Cell::new(0);
    let taken = AtomicUsize::new(0);
    let stop = || taken.load(Ordering::Relaxed) >= 100;
    let items = std::iter::from_fn(|| {
        read.set(read.get() + 1);
        Some(read.get())
    });
    let progress = Batch::new().threads(threads(2)).stop_when(&stop).stream(
        items,
        |item| *item,
        |_, outcome| {
            taken.fetch_add(usize::from(outcome.is_ok()), Ordering::Relaxed);
        },
    );
    assert!(
        progress.done >= 100 && progress.done <= read.get() && read.get() < 20_000,
        "{progress:?}, {} read",
        read.get()
    );
}

#[test]
fn a_panicking_callback_ends_the_batch_and_is_passed_on() {
    let result = std::panic::catch_unwind(|| {
        Batch::new()
            .threads(threads(4))
            .on_progress(|_| std::panic::resume_unwind(Box::new("callback")))
            .map(&[1; 1000], |n| n + 1)
    });
    assert_eq!(
        result.unwrap_err().downcast_ref::<&str>(),
        Some(&"callback")
    );
}
