//! Collects what is wrong with the account of an upgrader, as one message.

use super::super::table::{Operators, Path};
use super::blame::Accounted;
use super::{same, short};
use crate::message::Message;
use crate::schema::LeftOver;
use crate::schema::table::Table;

/// The depth to which nested objects are looked into: twice that of `kubernetes_deployment`, whose
/// affinities are eight objects down.
pub(super) const DEEPEST: usize = 16;

/// A path in const evaluation.
#[derive(Clone, Copy)]
pub(super) struct Trail {
    pub(super) names: [&'static str; DEEPEST],
    /// Their names in Rust.
    pub(super) fields: [&'static str; DEEPEST],
    pub(super) len: usize,
}

impl Trail {
    pub(super) const fn below(&self, name: &'static str, field: &'static str) -> Self {
        let mut here = *self;
        // A trail that was cut off would be taken for the one of the object around it.
        assert!(
            here.len < DEEPEST,
            "objects are nested more than 16 deep, and operators account for no more\nhelp: upgrade the whole struct with a function"
        );
        here.names[here.len] = name;
        here.fields[here.len] = field;
        here.len += 1;
        here
    }

    pub(super) const fn is(&self, path: Path) -> bool {
        path.len() == self.len && self.starts(path)
    }

    /// True if this is the attribute at `path`, or something in it.
    pub(super) const fn is_within(&self, path: Path) -> bool {
        if path.len() > self.len {
            return false;
        }
        let mut index = 0;
        while index < path.len() {
            if !same(path[index], self.names[index]) {
                return false;
            }
            index += 1;
        }
        true
    }

    /// True if `path` is this one, or goes on from here.
    pub(super) const fn starts(&self, path: Path) -> bool {
        if path.len() < self.len {
            return false;
        }
        let mut index = 0;
        while index < self.len {
            if !same(path[index], self.names[index]) {
                return false;
            }
            index += 1;
        }
        true
    }

    pub(super) const fn text(&self, mut message: Message) -> Message {
        let mut index = 0;
        while index < self.len {
            message = message
                .text(if index == 0 { "" } else { "." })
                .text(self.fields[index]);
            index += 1;
        }
        message
    }
}

/// The largest number of forgotten fields that are explained one by one; of more, the names are
/// listed.
pub(super) const FEW: usize = 3;

/// The findings, as lines of one message.
pub(super) struct Findings {
    pub(super) message: Message,
    pub(super) count: usize,
    /// The offset at which the last line begins.
    begin: usize,
    /// Findings for which the message has no room.
    left_out: usize,
    /// The number of forgotten fields of both sides.
    pub(super) forgotten: usize,
    /// True if forgotten fields are listed, not explained one by one.
    pub(super) lists: bool,
    /// True if the prior version has no struct: what no operator names was there then.
    pub(super) is_difference: bool,
    /// The field that is left to `rekey`.
    pub(super) left_over: LeftOver,
    /// The table of what is made.
    pub(super) made: &'static Table,
    /// Current fields that come from nowhere, and those of them that may be null.
    pub(super) missing: Listed,
    pub(super) missing_nullable: Listed,
    /// Prior fields that go nowhere.
    pub(super) lost: Listed,
    /// The positions of the missing and the lost fields that are members of the current and the
    /// prior struct themselves.
    pub(super) missing_members: Members,
    pub(super) lost_members: Members,
    pub(super) operators: &'static Operators,
    pub(super) prior: &'static str,
    pub(super) current: &'static str,
    /// The operator that the first finding is about.
    pub(super) place: Accounted,
}

impl Findings {
    pub(super) const fn new(
        operators: &'static Operators,
        prior: &'static str,
        made: &'static Table,
        lists: bool,
    ) -> Self {
        Self {
            message: Message::new(),
            count: 0,
            begin: 0,
            left_out: 0,
            forgotten: 0,
            lists,
            is_difference: false,
            left_over: LeftOver::Nothing,
            made,
            missing: Listed::new(),
            missing_nullable: Listed::new(),
            lost: Listed::new(),
            missing_members: Members::new(),
            lost_members: Members::new(),
            operators,
            prior: short(prior),
            current: short(made.rust_name),
            place: Accounted::Nowhere,
        }
    }

    /// Begins a line about an operator.
    pub(super) const fn line_at(&mut self, place: Accounted) -> Message {
        if self.count == 0 {
            self.place = place;
        }
        self.line()
    }

    /// Begins a line, and gives the message to go on with.
    pub(super) const fn line(&mut self) -> Message {
        self.settle();
        let message = std::mem::replace(&mut self.message, Message::new());
        self.begin = message.len();
        self.count += 1;
        if self.count > 1 {
            message.text("\n")
        } else {
            message
        }
    }

    /// Takes the last line out again if it does not fit.
    pub(super) const fn settle(&mut self) {
        if self.message.is_cut() && self.begin > 0 {
            let message = std::mem::replace(&mut self.message, Message::new());
            // All that follows is left out too, so that the order stays.
            self.message = message.back_to(self.begin);
            self.left_out += 1;
        }
    }

    /// The message; `renames` are those that would account for fields of both sides.
    pub(super) const fn into_message(mut self, renames: &Message) -> Message {
        self.settle();
        let listed = self.listed();
        let message = self.of_both(listed);
        if renames.is_empty() {
            return message;
        }
        let begin = message.len();
        let message = message.text("\nhelp: ").raw(renames.bytes());
        if message.is_cut() {
            message.back_to(begin)
        } else {
            message
        }
    }

    const fn of_both(mut self, listed: Message) -> Message {
        let message = match (listed.is_empty(), self.message.is_empty()) {
            (true, _) => self.message,
            (false, true) => listed,
            (false, false) => {
                let begin = listed.len();
                let both = listed.text("\n").raw(self.message.bytes());
                if both.is_cut() {
                    self.left_out = self.count;
                    both.back_to(begin)
                } else {
                    both
                }
            }
        };
        if self.left_out > 0 {
            message.and_more(self.left_out)
        } else {
            message
        }
    }

    /// The forgotten fields, if they are not explained one by one.
    pub(super) const fn listed(&self) -> Message {
        let mut message = Message::new();
        if self.missing.count > 0 {
            message = self.missing.begin(
                message,
                self.current,
                "comes from nowhere [U0001]",
                "come from nowhere [U0001]",
            );
            let (renamed, new) = if self.missing.count == 1 {
                (")` if it had another name, `set(", " = …)` if it is new")
            } else {
                (
                    ")` for each that had another name, `set(",
                    " = …)` for each that is new",
                )
            };
            message = message
                .text("\nhelp: add `rename(old => ")
                .raw(self.missing.first.bytes())
                .text(renamed);
            message = message.raw(self.missing.first.bytes()).text(new);
            if self.missing_nullable.count > 1 {
                message = message
                    .text("\nhelp: add `set((")
                    .raw(self.missing_nullable.plain.bytes());
                message = message.text(if self.missing_nullable.is_whole() {
                    ""
                } else {
                    ", …"
                });
                message = message.text(") = null)` for those that start out empty");
            }
        }
        if self.lost.count > 0 {
            if self.missing.count > 0 {
                message = message.text("\n");
            }
            message = self.lost.begin(
                message,
                self.prior,
                "goes nowhere [U0002]",
                "go nowhere [U0002]",
            );
            let (renamed, lost) = if self.lost.count == 1 {
                (
                    " => new)` if it has another name now, `drop(",
                    ", \"why\")` if its value may be lost",
                )
            } else {
                (
                    " => new)` for each that has another name now, `drop(",
                    ", \"why\")` for those whose values may be lost",
                )
            };
            message = message
                .text("\nhelp: add `rename(")
                .raw(self.lost.first.bytes())
                .text(renamed)
                .raw(self.lost.plain.bytes());
            message = message
                .text(if self.lost.is_whole() { "" } else { ", …" })
                .text(lost);
        }
        message
    }
}

/// Places of members.
#[derive(Clone, Copy)]
pub(super) struct Members {
    pub(super) at: [usize; Self::MOST],
    pub(super) len: usize,
}

impl Members {
    /// The largest number of members that are remembered.
    const MOST: usize = 16;

    pub(super) const fn new() -> Self {
        Self {
            at: [0; Self::MOST],
            len: 0,
        }
    }

    pub(super) const fn add(&mut self, member: usize) {
        if self.len < Self::MOST {
            self.at[self.len] = member;
            self.len += 1;
        }
    }
}

/// Names of fields, as a sentence and as operators write them.
pub(super) struct Listed {
    pub(super) count: usize,
    first: Message,
    quoted: Message,
    plain: Message,
}

impl Listed {
    /// The largest number of fields that are named.
    const MOST: usize = 16;

    pub(super) const fn new() -> Self {
        Self {
            count: 0,
            first: Message::new(),
            quoted: Message::new(),
            plain: Message::new(),
        }
    }

    pub(super) const fn add(&mut self, here: &Trail) {
        self.count += 1;
        if !self.is_whole() {
            return;
        }
        let quoted = std::mem::replace(&mut self.quoted, Message::new());
        let plain = std::mem::replace(&mut self.plain, Message::new());
        let (between, quoted_between) = if self.count > 1 {
            (", ", ", `")
        } else {
            ("", "`")
        };
        self.quoted = here.text(quoted.text(quoted_between)).text("`");
        self.plain = here.text(plain.text(between));
        if self.count == 1 {
            self.first = self.plain.copied();
        }
    }

    pub(super) const fn is_whole(&self) -> bool {
        self.count <= Self::MOST
    }

    /// Appends the fields, and the struct that they are of.
    pub(super) const fn begin(
        &self,
        message: Message,
        owner: &str,
        one: &str,
        several: &str,
    ) -> Message {
        if self.count == 1 {
            return message
                .raw(self.quoted.bytes())
                .format(" of `{}` {}", &[owner, one]);
        }
        let message = message
            .number(self.count as u64)
            .format(" fields of `{}` {}: ", &[owner, several]);
        let message = message.raw(self.quoted.bytes());
        if self.is_whole() {
            return message;
        }
        message
            .text(", … and ")
            .number((self.count - Self::MOST) as u64)
            .text(" more")
    }
}
