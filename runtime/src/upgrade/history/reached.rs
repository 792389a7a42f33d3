//! Proofs about a history: every version is reached, and each prior model has the version that its
//! upgrader is for.

// Everything here runs in the compiler, which reports a wrong index itself; iterators and `get` are
// not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::{History, PriorHistory};
use crate::message::{Message, iterate};

/// Refuses, at compile time, an upgrader whose model declares another version than the upgrader is
/// for.
#[doc(hidden)]
#[track_caller]
pub const fn check_model_version(history: &'static History, upgrader: usize) {
    if history.stub || upgrader >= history.steps.len() {
        return;
    }
    let step = &history.steps[upgrader];
    let Some(prior) = step.prior else { return };
    if prior.stub {
        return;
    }
    if step.contains(prior.version) {
        if prior.type_name_is_given && prior.type_key != history.type_key {
            is_of_another_type(history, &prior);
        }
        return;
    }
    let mut message = Message::new()
        .format("`{}` is declared for version ", &[prior.rust_name])
        .number(prior.version)
        .format(", but `{}` uses it for version ", &[history.rust_name])
        .number(step.from);
    if step.through > step.from {
        message = message.text(" to ").number(step.through);
    }
    let message = message
        .text("\nhelp: name the model of version ")
        .number(step.through)
        .text(" here, or change the upgrader to `#[upgrade_from(")
        .number(prior.version)
        .format(", model = {})]`", &[prior.rust_name]);
    message.panic();
}

#[track_caller]
const fn is_of_another_type(history: &History, prior: &PriorHistory) -> ! {
    let message = Message::new().format(
        "`{}` is a model of type `{}`, but `{}`, which it is upgraded to, is of type `{}",
        &[
            prior.rust_name,
            prior.type_name,
            history.rust_name,
            history.type_name,
        ],
    );
    let (name, model) = if history.type_name_is_given {
        (history.type_name, prior.rust_name)
    } else {
        (prior.type_name, history.rust_name)
    };
    let message = message
        .format(
            "`\nhelp: if it is an earlier version of the same type, write `type_name = \"{}\"` in the options of `{}",
            &[name, model],
        )
        .text(if history.type_name_is_given {
            "`, or leave it out there\nhelp: state"
        } else {
            "`\nhelp: state"
        })
        .format(
            " of another type is taken over by `#[move_from(type_name = \"{}\", model = {})]`",
            &[prior.type_name, prior.rust_name],
        );
    message.panic();
}

/// Refuses, at compile time, a current model with a supported version that no upgrader leads up
/// from.
#[doc(hidden)]
#[track_caller]
pub const fn check_every_version_is_reached(history: &'static History) {
    check_all_reached(history, "#[resource(");
}

/// Refuses the same of a document, whose options are in another attribute.
#[doc(hidden)]
#[track_caller]
pub const fn check_every_document_is_reached(history: &'static History) {
    check_all_reached(history, "#[document(");
}

#[track_caller]
const fn check_all_reached(history: &'static History, attribute: &str) {
    if let Some((first, last)) = history.first_unreached() {
        unreached(history, attribute, first, last).panic();
    }
}

impl History {
    /// The first versions in a row that are supported and that no upgrader leads up from, of those
    /// that this model is to be asked about: what a model below it lacks is said there.
    const fn first_unreached(&self) -> Option<(u64, u64)> {
        if self.is_stub() || self.is_prior {
            return None;
        }
        let mut first = None;
        let mut version = self.oldest;
        while version < self.version {
            match (
                self.reaches(version) || self.is_declared_below(version),
                first,
            ) {
                (true, Some(first)) => return Some((first, version - 1)),
                (false, None) => first = Some(version),
                (true, None) | (false, Some(_)) => {}
            }
            version += 1;
        }
        match first {
            Some(first) => Some((first, self.version - 1)),
            None => None,
        }
    }

    /// True if a current model that leads to this one supports `version`: without an upgrader from
    /// there it does not compile itself.
    const fn is_declared_below(&self, version: u64) -> bool {
        iterate!(step in self.steps => {
            if let Some(prior) = step.prior
                && !prior.is_prior
                && prior.oldest <= version
                && version < prior.version
            {
                return true;
            }
        });
        false
    }

    /// The model with the lowest version above `version` of those that this one is upgraded from.
    const fn next_above(&self, version: u64) -> Option<PriorHistory> {
        let mut lowest: Option<PriorHistory> = None;
        iterate!(step in self.steps => {
            if let Some(prior) = step.prior
                && prior.version > version
                && match lowest {
                    Some(lowest) => prior.version < lowest.version,
                    None => true,
                }
            {
                lowest = Some(prior);
            }
        });
        lowest
    }
}

/// The message about versions that no upgrader leads up from, with what to do.
const fn unreached(history: &'static History, attribute: &str, first: u64, last: u64) -> Message {
    let name = history.rust_name;
    let base = base_name(name);
    let has_none = history.steps.is_empty();
    let message = Message::new()
        .text(if has_none {
            "`"
        } else {
            "no upgrader leads to `"
        })
        .text(name)
        .text("` (version ")
        .number(history.version);
    let message = message.text(if has_none {
        ") has no upgraders, so it cannot read state stored at "
    } else {
        ") from state stored at "
    });
    let message = message
        .text(if first == last {
            "version "
        } else {
            "versions "
        })
        .number(first);
    let message = if first == last {
        message
    } else {
        message.text(" to ").number(last)
    };
    let message = message.text(" [U0004]");

    // An older version may go through what there is.
    let (to, owner) = match history.next_above(last) {
        Some(above) if is_difference(above.rust_name) => (above.version, name),
        Some(above) => (above.version, above.rust_name),
        None => (history.version, name),
    };
    let message = message
        .text("\nhelp: add `#[upgrade_from(")
        .number(last)
        .text(" => ")
        .number(to)
        .text(", …)]` to `")
        .text(owner);
    let message = message
        .text("`, with operators for what version ")
        .number(last)
        .text(" stored differently; or `#[upgrade_from(");
    let message = message
        .number(last)
        .format(", model = {}V", &[base])
        .number(last)
        .text(")]`, where `");
    let message = message
        .text(base)
        .text("V")
        .number(last)
        .text("` is the struct that it stored");
    let message = if first == last {
        message
    } else {
        let message =
            message.text("\nhelp: add one for each of the other versions, too; those that stored one shape share one, `");
        message.number(first).text("..=").number(last).text("`")
    };

    let those = if first == last {
        "that version"
    } else {
        "those versions"
    };
    let message = message
        .format(
            "\nhelp: if no release ever stored {}, add `#[upgrade_from(",
            &[those],
        )
        .range(first, last);
    let message = message
        .text(", never_released)]`; to stop supporting ")
        .text(those);
    let message = if first == history.oldest {
        message
            .text(", write `oldest = ")
            .number(last + 1)
            .format("` in `{}…)]`", &[attribute])
    } else {
        message
            .text(", add `#[upgrade_from(")
            .range(first, last)
            .text(", unsupported = \"what to do instead\")]`")
    };
    if !has_none {
        return message;
    }
    let message = message.format(
        "\nhelp: if `{}` is only a shape that other models are upgraded from, write `{}version = ",
        &[name, attribute],
    );
    message.number(history.version).text(", prior)]`")
}

/// True if the name is of a version that a difference describes, as the derive writes it:
/// `Thing (version 1)`.
const fn is_difference(name: &str) -> bool {
    matches!(name.as_bytes().last(), Some(b')'))
}

/// The name of a struct without a trailing `V` and number.
const fn base_name(name: &'static str) -> &'static str {
    let bytes = name.as_bytes();
    let mut end = bytes.len();
    while end > 0 && bytes[end - 1].is_ascii_digit() {
        end -= 1;
    }
    if end == bytes.len() || end < 2 || bytes[end - 1] != b'V' {
        return name;
    }
    match std::str::from_utf8(bytes.split_at(end - 1).0) {
        Ok(base) => base,
        Err(_) => name,
    }
}
