//! The plan of what is done to the stored object, step by step: it is made by one look through the
//! table and both schemas.

use super::super::form::{Member, Objects};
use super::super::table::{Operators, Stage};
use super::value::Judged;
use crate::codec::json::Label;
use crate::schema::Type;

/// The plan by which stored objects become current ones.
///
/// The steps follow the stored members in byte order of their names, and write the current ones in
/// byte order of theirs.
pub(super) struct Plan {
    pub(super) steps: Box<[Step]>,
    /// The number of members of the current object.
    pub(super) members: usize,
    /// The number of registers, each of which remembers the offset of a stored value.
    pub(super) registers: usize,
    /// Members that end here, in the order in which that is reported.
    pub(super) drops: Box<[Ending]>,
    pub(super) operators: &'static Operators,
    pub(super) from: Objects<'static>,
    pub(super) to: Objects<'static>,
}

impl Plan {
    /// True if the plan calls no function of an author's: nothing goes by values, and no notice
    /// asks a condition.
    pub(super) fn is_ours_alone(&self) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Pass { unread, .. } => unread.as_ref().is_none_or(Carried::is_ours_alone),
            Step::Gather { .. } => false,
            Step::Keep(kept) => kept.carried.is_ours_alone(),
            Step::Write(output) => match &output.make {
                Make::Carry(carried) => carried.is_ours_alone(),
                Make::Constant(_) | Make::OfBool(_) | Make::Scalar { .. } => true,
                Make::Value { .. } | Make::Gathered { .. } => false,
            },
        })
    }
}

impl Carried {
    fn is_ours_alone(&self) -> bool {
        match &self.kind {
            Kind::List(inner) | Kind::Map(inner) | Kind::WriteOnly(inner) => inner.is_ours_alone(),
            Kind::Object(plan) => plan.is_ours_alone(),
            Kind::Reshaped(..) => false,
            Kind::Bool
            | Kind::Text
            | Kind::OneOf(_)
            | Kind::Integer { .. }
            | Kind::Unsigned { .. }
            | Kind::Float
            | Kind::Number
            | Kind::SetOfTexts(..)
            | Kind::Typed(..) => true,
        }
    }
}

/// A stored member that has no place in the current object.
pub(super) struct Ending {
    pub(super) name: &'static str,
    pub(super) reason: &'static str,
    /// The register that remembers its offset, if it is there and not null.
    pub(super) register: usize,
}

pub(super) enum Step {
    /// A stored member is passed by.
    Pass {
        stored: Label,
        /// The register that remembers its offset, if one does.
        register: Option<usize>,
        /// The kind of value that it must be, if nothing else looks at it. Then its offset is
        /// remembered only if it is neither null nor a collection without blocks.
        unread: Option<Carried>,
    },
    /// A member stays: it has the name that it had, and nothing is done to its value.
    Keep(Kept),
    /// A current member is written.
    Write(Box<Output>),
    /// The stored values that operators look at together are read.
    Gather {
        inputs: Box<[Input]>,
        /// True if notices and drops look at the values, too.
        report: bool,
    },
}

/// A member that stays where and what it is, unless another name or value comes before it.
pub(super) struct Kept {
    pub(super) label: Label,
    pub(super) sensitive: bool,
    pub(super) carried: Carried,
}

/// A stored value that operators look at as a value.
pub(super) struct Input {
    pub(super) name: &'static str,
    pub(super) member: Member<'static>,
    pub(super) register: usize,
}

/// A current member.
pub(super) struct Output {
    pub(super) written: Label,
    pub(super) from: From,
    /// The stored member's name, for messages.
    pub(super) stored_name: &'static str,
    pub(super) sensitive: bool,
    pub(super) make: Make,
}

/// The place of the stored value that a current one is made of.
#[expect(
    clippy::large_enum_variant,
    reason = "the large one is the rule, and is looked at for each member of each state"
)]
pub(super) enum From {
    /// It is the stored member that comes next.
    Here {
        stored: Label,
        /// True if the current member has the name of the stored one.
        same: bool,
        register: Option<usize>,
    },
    /// It was passed.
    Register(usize),
    /// It is made of nothing, or of gathered values.
    Nowhere,
}

pub(super) enum Make {
    /// The stored value as it is.
    Carry(Carried),
    /// Always this.
    Constant(Written),
    /// Operators over a bool, worked out for true, false and null; `None` where they refuse it.
    OfBool(Box<[Option<Made>; 3]>),
    /// Operators over one bool, number or text.
    Scalar {
        stages: &'static [Stage],
        from: &'static Type,
        to: Member<'static>,
        null: Nothing,
    },
    /// Operators over one value.
    Value {
        stages: &'static [Stage],
        from: Box<Member<'static>>,
        to: Member<'static>,
    },
    /// Operators over gathered values.
    Gathered { to: Member<'static> },
}

/// A value as JSON and as `MessagePack`.
pub(super) type Written = [Box<[u8]>; 2];

/// The value that operators make of another, as it is written.
pub(super) struct Made {
    pub(super) written: Written,
    pub(super) judged: Judged,
}

/// Describes how a stored value is taken over.
pub(super) struct Carried {
    pub(super) kind: Kind,
    pub(super) null: Nothing,
    /// True if only the author's own type can tell whether it takes the value.
    pub(super) own_type: bool,
}

pub(super) enum Kind {
    Bool,
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    Integer {
        min: i64,
        max: i64,
    },
    /// Up to more than 63 bits.
    Unsigned {
        max: u64,
    },
    Float,
    Number,
    List(Box<Carried>),
    Map(Box<Carried>),
    /// Strings in order, each once; otherwise a value of the type.
    SetOfTexts(&'static Type, Member<'static>),
    Object(Box<Plan>),
    /// Through a value of the type, which stays.
    Typed(&'static Type, Member<'static>),
    /// Through a value whose form changes.
    Reshaped(Box<(Member<'static>, Member<'static>)>),
    /// It is not stored any more: a value of this kind becomes null.
    WriteOnly(Box<Carried>),
}

/// The value that means null, or that is written for a member that is not stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nothing {
    Null,
    List,
    Map,
    /// There has to be a value.
    Refused,
}

impl Nothing {
    /// True if it is a collection without blocks.
    pub(super) fn is_blocks(self) -> bool {
        matches!(self, Self::List | Self::Map)
    }
}
