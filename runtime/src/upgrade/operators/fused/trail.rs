//! The way to where the work is; a path is made of it only where one is reported.

use super::super::place::Place;
use crate::path::{AttributePath, PathStep};

#[derive(Clone, Copy)]
pub(super) struct Trail<'p> {
    parent: Option<&'p Trail<'p>>,
    step: Step<'p>,
    sensitive: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'p> {
    Root,
    Name(&'static str),
    Index(usize),
    Key(&'p str),
}

impl Trail<'_> {
    pub(super) const ROOT: Trail<'static> = Trail {
        parent: None,
        step: Step::Root,
        sensitive: false,
    };

    pub(super) fn below<'p>(&'p self, step: Step<'p>, sensitive: bool) -> Trail<'p> {
        Trail {
            parent: Some(self),
            step,
            sensitive,
        }
    }

    /// The path of the member `name`, as far as it may be reported: the same as that of a place
    /// below this one.
    pub(super) fn path_to(&self, name: &'static str) -> AttributePath {
        // With the root, which is not a step, there are as many as with the name.
        let mut steps =
            Vec::with_capacity(std::iter::successors(Some(self), |trail| trail.parent).count());
        if !self.report(&mut steps) {
            steps.push(PathStep::Attribute(name.into()));
        }
        steps.into_iter().collect()
    }

    /// Adds the steps to here, and says whether what is here must not be shown.
    fn report(&self, steps: &mut Vec<PathStep>) -> bool {
        if self.parent.is_some_and(|parent| parent.report(steps)) {
            return true;
        }
        match self.step {
            Step::Root => {}
            Step::Name(name) => steps.push(PathStep::Attribute(name.into())),
            Step::Index(index) => steps.push(PathStep::Index(index as u64)),
            Step::Key(key) => steps.push(PathStep::Key(key.to_owned())),
        }
        self.sensitive
    }

    pub(super) fn place(&self) -> Place {
        let place = self.parent.map_or_else(Place::default, Trail::place);
        match self.step {
            Step::Root => place,
            Step::Name(name) => place.below_known(name, self.sensitive),
            Step::Index(index) => place.step(PathStep::Index(index as u64)),
            Step::Key(key) => place.step(PathStep::Key(key.to_owned())),
        }
    }
}
