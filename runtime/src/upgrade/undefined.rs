//! Stored values that no schema defines.

use std::collections::{HashMap, HashSet};

use crate::AttributePath;
use crate::path::PathStep;

/// The number of undefined values of one state that are named. Of further ones the first of each
/// name is, while there are fewer names than that; the others are counted, so that they do not fill
/// the memory.
const MOST_NAMED: usize = 10_000;

/// The places of stored values that no schema defines.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Undefined {
    /// The paths, each as far as it may be shown.
    shown: Vec<AttributePath>,
    /// The whole of those that are shown in part, by their index: for an edit that keeps such a
    /// value, never for a message.
    whole: Vec<(usize, AttributePath)>,
    /// Those, by their index, that no edit can keep, because other values have their names or their
    /// places now.
    unkept: Vec<usize>,
    /// Those that an author's function does not take, with their indices: they are at their places
    /// all the same if their attribute also stays, and are one value then.
    not_taken: HashMap<AttributePath, usize>,
    /// The number of further ones, which have no names here.
    unnamed: usize,
    /// The names on the paths that are here, once there are further ones; each with true if an edit
    /// keeps what has them.
    names: Option<HashSet<(bool, Vec<String>)>>,
    /// The first further one that has other names, as far as it may be shown: an edit would not keep
    /// it.
    forgotten: Option<AttributePath>,
}

__debug_parts! {
    /// Names what may be shown.
    Undefined |self| {
        shown: self.shown,
        unnamed: self.unnamed,
    }
}

impl Undefined {
    /// The paths, each as far as it may be shown.
    pub fn shown(&self) -> &[AttributePath] {
        &self.shown
    }

    /// The paths, as they are, of those that an edit keeps. Keys of maps may be secrets, so none of
    /// them is for a message.
    pub fn kept(&self) -> impl Iterator<Item = &AttributePath> {
        self.whole_paths()
            .filter_map(|(is_kept, path)| is_kept.then_some(path))
    }

    /// All paths that are here, as they are, each with true if an edit keeps it.
    fn whole_paths(&self) -> impl Iterator<Item = (bool, &AttributePath)> {
        let mut cut = self.whole.iter().peekable();
        let mut unkept = self.unkept.iter().peekable();
        self.shown.iter().enumerate().map(move |(index, shown)| {
            let path = cut
                .next_if(|(at, _)| *at == index)
                .map_or(shown, |(_, whole)| whole);
            (unkept.next_if_eq(&&index).is_none(), path)
        })
    }

    /// These, of which an edit keeps only those whose paths, as far as they may be shown, are
    /// `kept`.
    #[must_use]
    pub fn keeping(mut self, kept: impl Fn(&AttributePath) -> bool) -> Self {
        let is_unkept = |index: &usize| self.unkept.binary_search(index).is_ok();
        let paths = self.shown.iter().enumerate();
        let unkept = paths
            .filter(|(index, path)| is_unkept(index) || !kept(path))
            .map(|(index, _)| index)
            .collect();
        self.unkept = unkept;
        self
    }

    /// The number of all, also of those that are not named.
    pub fn count(&self) -> usize {
        self.shown.len() + self.unnamed
    }

    /// The first of those that an edit by the paths that are here would lose.
    pub fn forgotten(&self) -> Option<&AttributePath> {
        self.forgotten.as_ref()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// These as paths of what the state is in, with `before` in front of them.
    #[must_use]
    pub fn within(
        self,
        before: Vec<AttributePath>,
        place: impl Fn(AttributePath) -> AttributePath,
    ) -> Self {
        let shift = before.len();
        let mut shown = before;
        shown.extend(self.shown.into_iter().map(&place));
        let whole = self
            .whole
            .into_iter()
            .map(|(index, path)| (index + shift, place(path)))
            .collect();
        let unkept = self.unkept.into_iter().map(|index| index + shift).collect();
        let not_taken = self
            .not_taken
            .into_iter()
            .map(|(path, index)| (place(path), index + shift))
            .collect();
        Self {
            shown,
            whole,
            unkept,
            not_taken,
            unnamed: self.unnamed,
            names: self.names,
            forgotten: self.forgotten.map(&place),
        }
    }

    /// Adds one, of which this many steps may be shown.
    pub(super) fn push(&mut self, steps: &[PathStep], visible: usize) {
        self.add(steps, visible, true);
    }

    /// Adds one that no edit can keep, of which this many steps may be shown.
    pub(super) fn push_unkept(&mut self, steps: &[PathStep], visible: usize) {
        self.add(steps, visible, false);
    }

    /// Adds one that an author's function does not take, once, of which this many steps may be
    /// shown.
    pub(super) fn push_not_taken(&mut self, steps: &[PathStep], visible: usize, is_kept: bool) {
        let (path, index) = (steps.iter().cloned().collect(), self.shown.len());
        self.add(steps, visible, is_kept);
        if self.shown.len() > index {
            self.not_taken.insert(path, index);
        }
    }

    fn add(&mut self, steps: &[PathStep], visible: usize, is_kept: bool) {
        let path = |steps: &[PathStep]| -> AttributePath { steps.iter().cloned().collect() };
        if !self.not_taken.is_empty()
            && let Some(&index) = self.not_taken.get(&path(steps))
        {
            if !is_kept && let Err(at) = self.unkept.binary_search(&index) {
                self.unkept.insert(at, index);
            }
            return;
        }
        let visible = steps.get(..visible).unwrap_or(steps);
        if self.shown.len() >= MOST_NAMED && !self.has_room(steps, is_kept) {
            // Not one that has a name, because it is kept with those that have it.
            if is_kept && self.forgotten.is_none() && !self.has_name(steps) {
                self.forgotten = Some(path(visible));
            }
            self.unnamed += 1;
            return;
        }
        if !is_kept {
            self.unkept.push(self.shown.len());
        }
        if visible.len() < steps.len() {
            self.whole.push((self.shown.len(), path(steps)));
        }
        self.shown.push(path(visible));
    }

    /// True if one that an edit keeps has this name.
    fn has_name(&self, steps: &[PathStep]) -> bool {
        let known = self.names.as_ref();
        known.is_some_and(|known| known.contains(&(true, names(steps))))
    }

    /// True if a further one is the first of its name, and there is room for that.
    fn has_room(&mut self, steps: &[PathStep], is_kept: bool) -> bool {
        let mut known = match self.names.take() {
            Some(known) => known,
            None => self
                .whole_paths()
                .map(|(is_kept, path)| (is_kept, names(path.steps())))
                .collect(),
        };
        let name = (is_kept, names(steps));
        let has_room = known.len() < MOST_NAMED && known.insert(name);
        self.names = Some(known);
        has_room
    }

    /// Adds one whose name another value has now.
    pub(super) fn push_replaced(&mut self, path: &AttributePath) {
        self.push_unkept(path.steps(), path.steps().len());
    }

    /// Forgets those that came after.
    pub(super) fn truncate(&mut self, length: Length) {
        let Length {
            named,
            unnamed,
            forgets,
        } = length;
        if !forgets {
            self.forgotten = None;
        }
        if self.shown.len() > named {
            // Because others may come in the place of those.
            self.names = None;
        }
        self.shown.truncate(named);
        self.whole.retain(|(index, _)| *index < named);
        self.unkept.retain(|index| *index < named);
        self.not_taken.retain(|_, index| *index < named);
        self.unnamed = self.unnamed.min(unnamed);
    }

    pub(super) fn length(&self) -> Length {
        Length {
            named: self.shown.len(),
            unnamed: self.unnamed,
            forgets: self.forgotten.is_some(),
        }
    }
}

/// The names on a path, as an edit compares them: what is so of one element is so of all.
fn names(steps: &[PathStep]) -> Vec<String> {
    let names = steps.iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some(name.clone().into_owned()),
        PathStep::Key(key) => Some(key.clone()),
        PathStep::Index(_) | PathStep::Element(_) => None,
    });
    names.collect()
}

/// The number of values at one time, to go back to.
#[derive(Clone, Copy, Default)]
pub(super) struct Length {
    named: usize,
    unnamed: usize,
    forgets: bool,
}

#[cfg(test)]
mod tests {
    use super::{Length, MOST_NAMED, Undefined};
    use crate::AttributePath;
    use crate::path::PathStep;

    fn push(undefined: &mut Undefined, names: impl IntoIterator<Item = String>) {
        for name in names {
            undefined.push(&[PathStep::Attribute(name.into())], 1);
        }
    }

    #[test]
    fn only_the_names_that_are_here_are_kept() {
        let all = |letter: char| (0..MOST_NAMED).map(move |index| format!("{letter}{index}"));
        let mut undefined = Undefined::default();
        push(&mut undefined, all('a'));
        let full = undefined.length();
        push(&mut undefined, ["a7".to_owned()]);
        assert_eq!(undefined.forgotten(), None, "another one has that name");
        push(&mut undefined, ["b7".to_owned(), "b8".to_owned()]);
        let forgotten = undefined.forgotten().map(ToString::to_string);
        assert_eq!(forgotten.as_deref(), Some("b7"));
        undefined.truncate(full);
        assert_eq!(undefined.forgotten(), None, "it did not come");
        push(&mut undefined, ["a7".to_owned()]);
        undefined.truncate(Length::default());
        push(&mut undefined, all('b'));
        push(&mut undefined, ["b7".to_owned()]);
        assert_eq!(undefined.forgotten(), None);
        push(&mut undefined, ["a7".to_owned()]);
        assert!(undefined.forgotten().is_some(), "the others did not come");
        assert_eq!(undefined.count(), MOST_NAMED + 2);
    }

    #[test]
    fn one_that_a_function_does_not_take_is_one_where_its_attribute_stays() {
        let odd = |name: &'static str| {
            [
                PathStep::Attribute(name.into()),
                PathStep::Attribute("odd".into()),
            ]
        };
        let mut undefined = Undefined::default();
        undefined.push_not_taken(&odd("a"), 2, true);
        let noted = undefined.length();
        undefined.push_not_taken(&odd("a"), 2, true);
        undefined.push(&odd("a"), 2);
        undefined.push(&odd("b"), 2);
        assert_eq!(undefined.count(), 2);
        undefined.truncate(noted);
        undefined.push(&odd("a"), 2);
        assert_eq!(undefined.count(), 1);
        undefined.truncate(Length::default());
        undefined.push(&odd("a"), 2);
        undefined.push(&odd("a"), 2);
        assert_eq!(undefined.count(), 2, "no function has it any more");
    }

    #[test]
    fn one_that_a_function_does_not_take_is_not_kept_where_another_has_its_place() {
        let member = |name: &'static str| [PathStep::Attribute(name.into())];
        let mut undefined = Undefined::default();
        undefined.push_not_taken(&member("a"), 1, true);
        undefined.push_unkept(&member("b"), 1);
        undefined.push_unkept(&member("a"), 1);
        undefined.push(&member("c"), 1);
        let kept: Vec<String> = undefined.kept().map(ToString::to_string).collect();
        assert_eq!((undefined.count(), kept), (3, vec!["c".to_owned()]));
    }

    #[test]
    fn of_further_ones_the_first_of_each_name_is_here() {
        let member = |index: usize, name: &'static str| {
            [
                PathStep::Attribute("tags".into()),
                PathStep::Index(index as u64),
                PathStep::Attribute(name.into()),
            ]
        };
        let mut undefined = Undefined::default();
        for index in 0..=MOST_NAMED {
            undefined.push(&member(index, "odd"), 3);
        }
        assert_eq!(undefined.shown().len(), MOST_NAMED);
        let full = undefined.length();
        for index in [7, 8] {
            undefined.push(&member(index, "late"), 3);
            // Its name counts again, because one that is lost is beside one that stays.
            undefined.push_unkept(&member(index, "odd"), 3);
        }
        let further: Vec<&[PathStep]> = undefined
            .shown()
            .iter()
            .skip(MOST_NAMED)
            .map(AttributePath::steps)
            .collect();
        assert_eq!(further, [member(7, "late"), member(7, "odd")]);
        assert_eq!(undefined.kept().count(), MOST_NAMED + 1);
        assert_eq!(undefined.count(), MOST_NAMED + 5);
        assert_eq!(undefined.forgotten(), None, "an edit keeps all");
        undefined.truncate(full);
        undefined.push(&member(7, "late"), 3);
        assert_eq!(undefined.shown().len(), MOST_NAMED + 1, "it came again");
    }
}
