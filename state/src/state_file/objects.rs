//! The objects of a resource that were met in a file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::mem;

use super::address::InstanceKey;

/// The keys that tell an object from the others of its resource: that of its instance, and that of an
/// object that a newer one has taken the place of.
type Key<'t> = (InstanceKey<'t>, Cow<'t, str>);

/// The objects of a resource, each once. Most resources have one, which needs no set.
#[derive(Default)]
pub(super) enum Objects<'t> {
    #[default]
    None,
    One(Key<'t>),
    Some(HashSet<Key<'t>>),
}

impl<'t> Objects<'t> {
    /// Adds an object; false if it is there already.
    pub(super) fn insert(&mut self, key: Key<'t>) -> bool {
        match self {
            Self::None => {
                *self = Self::One(key);
                true
            }
            Self::One(known) if *known == key => false,
            Self::One(_) => {
                let known = match mem::take(self) {
                    Self::One(known) => Some(known),
                    Self::None | Self::Some(_) => None,
                };
                *self = Self::Some(known.into_iter().chain([key]).collect());
                true
            }
            Self::Some(known) => known.insert(key),
        }
    }

    /// Takes an object out; false if it is not there.
    pub(super) fn remove(&mut self, key: &Key<'t>) -> bool {
        match self {
            Self::One(known) if known == key => {
                *self = Self::None;
                true
            }
            Self::None | Self::One(_) => false,
            Self::Some(known) => known.remove(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_there_once() {
        let key = |index, deposed: &'static str| (InstanceKey::Int(index), Cow::Borrowed(deposed));
        let all = [key(0, ""), key(0, "0000abcd"), key(1, ""), key(2, "")];
        for many in 0..=all.len() {
            let mut objects = Objects::default();
            for key in &all[..many] {
                assert!(!objects.remove(key));
                assert!(objects.insert(key.clone()));
                assert!(!objects.insert(key.clone()));
            }
            for key in &all[..many] {
                assert!(objects.remove(key));
                assert!(!objects.remove(key));
            }
            assert!(objects.insert(key(0, "")));
        }
    }
}
