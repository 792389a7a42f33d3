//! The way to where the work is; a path is made of it only where one is told.

use super::super::place::Place;
use crate::path::PathStep;

#[derive(Clone, Copy)]
pub(super) struct Trail<'p> {
    parent: Option<&'p Trail<'p>>,
    step: Step<'p>,
    sensitive: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'p> {
    Root,
    Name(&'p str),
    Index(usize),
    Key(&'p str),
}

impl Trail<'_> {
    pub(super) const ROOT: Trail<'static> = Trail { parent: None, step: Step::Root, sensitive: false };

    pub(super) fn below<'p>(&'p self, step: Step<'p>, sensitive: bool) -> Trail<'p> {
        Trail { parent: Some(self), step, sensitive }
    }

    pub(super) fn place(&self) -> Place {
        let place = self.parent.map_or_else(Place::default, Trail::place);
        match self.step {
            Step::Root => place,
            Step::Name(name) => place.below(name, self.sensitive),
            Step::Index(index) => place.step(PathStep::Index(index as u64)),
            Step::Key(key) => place.step(PathStep::Key(key.to_owned())),
        }
    }
}
