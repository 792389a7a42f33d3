//! The order of a plan's steps.

use super::compile::carried;
use super::draft::{Draft, Named};
use super::plan::{Ending, From, Input, Kept, Make, Output, Step};
use crate::codec::json::Label;

/// Puts drafts in an order in which every stored member is come by once.
pub(super) struct Schedule<'d> {
    stored: &'d [Named],
    /// The number of uses of each stored member that are still to come.
    uses: Vec<usize>,
    registers: Vec<Option<usize>>,
    /// The registers of the stored members that end.
    ends: Vec<Option<usize>>,
    pub(super) taken: usize,
    /// The position of the stored member that comes next.
    next: usize,
    gathered: bool,
    pub(super) steps: Vec<Step>,
}

impl<'d> Schedule<'d> {
    pub(super) fn new(stored: &'d [Named], outputs: &[Draft], gathered: &[usize]) -> Self {
        let mut uses = vec![0; stored.len()];
        for used in outputs
            .iter()
            .filter_map(|draft| draft.source)
            .chain(gathered.iter().copied())
        {
            if let Some(uses) = uses.get_mut(used) {
                *uses += 1;
            }
        }
        let none = || vec![None; stored.len()];
        Self {
            stored,
            uses,
            registers: none(),
            ends: none(),
            taken: 0,
            next: 0,
            gathered: false,
            steps: Vec::new(),
        }
    }

    fn take(&mut self) -> usize {
        self.taken += 1;
        self.taken - 1
    }

    /// A member that ends here, where it is called `name`; its place is remembered when it is
    /// passed. `None` if it is used, too.
    pub(super) fn end(
        &mut self,
        index: usize,
        name: &'static str,
        reason: &'static str,
    ) -> Option<Ending> {
        // The register of a member that is used says where it is, so it cannot say whether a value
        // ends there.
        if self.uses.get(index).is_none_or(|uses| *uses > 0) {
            return None;
        }
        let register = match self.ends.get(index)? {
            Some(register) => *register,
            None => self.take(),
        };
        *self.ends.get_mut(index)? = Some(register);
        Some(Ending {
            name,
            reason,
            register,
        })
    }

    /// The register of a member that is used again, if it is.
    fn remember(&mut self, index: usize) -> Option<usize> {
        if self.uses.get(index).is_none_or(|uses| *uses == 0) {
            return None;
        }
        let register = self.take();
        if let Some(slot) = self.registers.get_mut(index) {
            *slot = Some(register);
        }
        Some(register)
    }

    fn pass_to(&mut self, index: usize) {
        while self.next < index {
            let Some((name, member)) = self.stored.get(self.next) else {
                return;
            };
            let (register, unread) = match self.remember(self.next) {
                Some(register) => (Some(register), None),
                None => (
                    self.ends.get(self.next).copied().flatten(),
                    Some(carried(*member, *member)),
                ),
            };
            self.steps.push(Step::Pass {
                stored: Label::new(name),
                register,
                unread,
            });
            self.next += 1;
        }
    }

    pub(super) fn pass_the_rest(&mut self) {
        self.pass_to(self.stored.len());
    }

    /// Reads what operators look at together, once.
    pub(super) fn gather(&mut self, gathered: &[usize], report: bool) {
        if std::mem::replace(&mut self.gathered, true) {
            return;
        }
        self.pass_to(gathered.last().map_or(0, |last| last + 1));
        let input = |index: &usize| {
            let (name, member) = self.stored.get(*index)?;
            Some(Input {
                name,
                member: *member,
                register: self.registers.get(*index).copied().flatten()?,
            })
        };
        let inputs = gathered.iter().filter_map(input).collect();
        for index in gathered {
            self.used(*index);
        }
        self.steps.push(Step::Gather { inputs, report });
    }

    fn used(&mut self, index: usize) {
        if let Some(uses) = self.uses.get_mut(index) {
            *uses -= 1;
        }
    }

    pub(super) fn write(&mut self, draft: Draft) {
        let Draft {
            name,
            source,
            sensitive,
            make,
            ..
        } = draft;
        let (mut from, mut stored_name) = (From::Nowhere, name);
        if let Some((index, (stored, _))) =
            source.and_then(|index| Some((index, self.stored.get(index)?)))
        {
            stored_name = stored;
            self.used(index);
            from = if index < self.next {
                self.registers
                    .get(index)
                    .copied()
                    .flatten()
                    .map_or(From::Nowhere, From::Register)
            } else {
                self.pass_to(index);
                self.next = index + 1;
                From::Here {
                    stored: Label::new(stored),
                    same: *stored == name,
                    register: self.remember(index),
                }
            };
        }
        let step = match (from, make) {
            (
                From::Here {
                    stored,
                    same: true,
                    register: None,
                },
                Make::Carry(carried),
            ) => Step::Keep(Kept {
                label: stored,
                sensitive,
                carried,
            }),
            (from, make) => Step::Write(Box::new(Output {
                written: Label::new(name),
                from,
                stored_name,
                sensitive,
                make,
            })),
        };
        self.steps.push(step);
    }
}
