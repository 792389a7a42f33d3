//! The elements of sets, which may be stored in any order.

use std::collections::{HashMap, HashSet};

use upstate::Number;
use upstate::schema::Type;

use super::place::is_set;
use super::tree::Tree;

/// A scalar that tells one element of a set from most others: the element itself, or a member of
/// it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Held {
    Text(String),
    Number(Number),
}

impl Held {
    /// That of an element, or of its member of this name.
    fn of(element: &Tree<'_>, member: Option<&str>) -> Option<Self> {
        let value = match member {
            Some(name) => element.member(name)?,
            None => element,
        };
        match value {
            Tree::String(text) => Some(Self::Text(text.clone().into_owned())),
            Tree::Number(digits) => Some(Self::number(digits)),
            Tree::Null | Tree::Bool(_) | Tree::Array(_) | Tree::Object(_) => None,
        }
    }

    /// A number, which is the same one however it is written.
    pub(super) fn number(digits: &str) -> Self {
        match digits.parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Text(digits.to_owned()),
        }
    }
}

/// The scalars that the stored elements hold, by their places; see [`Held`].
pub(super) fn held_in(old: &[Tree<'_>]) -> impl Fn(usize, Option<&str>) -> Option<Held> {
    move |at: usize, member: Option<&str>| old.get(at).and_then(|old| Held::of(old, member))
}

/// The places of the new elements by what they hold.
struct Places {
    /// The member that tells most of them apart, if they are objects.
    member: Option<String>,
    of: HashMap<Held, Vec<usize>>,
    /// Those of elements that hold no such scalar.
    others: Vec<usize>,
}

impl Places {
    fn of(new: &[Tree<'_>]) -> Self {
        let count = |name: &str| {
            let held = new.iter().filter_map(|one| Held::of(one, Some(name)));
            held.collect::<HashSet<_>>().len()
        };
        let member = if let Some(Tree::Object(members)) = new.first() {
            let names = members.iter().map(|(name, _)| &**name);
            names.max_by_key(|name| count(name)).map(str::to_owned)
        } else {
            None
        };
        let (mut of, mut others) = (HashMap::<_, Vec<_>>::new(), Vec::new());
        for (at, element) in new.iter().enumerate() {
            match Held::of(element, member.as_deref()) {
                Some(held) => of.entry(held).or_default().push(at),
                None => others.push(at),
            }
        }
        Self { member, of, others }
    }
}

/// For each stored element of a set the place of the same new one, each once: `same` compares the
/// two, and only those are compared that hold the same, because each of many with all of them takes
/// minutes. What the stored ones hold is not known of some, such as dates, which are compared with
/// all.
fn places_of_stored<'v>(
    old: usize,
    new: &[Tree<'v>],
    same: impl Fn(usize, &Tree<'v>) -> bool,
    held: impl Fn(usize, Option<&str>) -> Option<Held>,
) -> impl Iterator<Item = Option<usize>> {
    let (mut left, mut first) = (vec![true; new.len()], 0);
    let mut places: Option<Places> = None;
    (0..old).map(move |index| {
        // Otherwise each of many elements in their order looks at all before it.
        while left.get(first) == Some(&false) {
            first += 1;
        }
        let is_it = |at: &usize| {
            left.get(*at) == Some(&true) && new.get(*at).is_some_and(|value| same(index, value))
        };
        let found = Some(first).filter(is_it).or_else(|| {
            let places = places.get_or_insert_with(|| Places::of(new));
            match held(index, places.member.as_deref()) {
                Some(held) => {
                    let these = places.of.get(&held).into_iter().flatten();
                    these.chain(&places.others).copied().find(is_it)
                }
                None => (first..new.len()).find(is_it),
            }
        });
        if let Some(left) = found.and_then(|at| left.get_mut(at)) {
            *left = false;
        }
        found
    })
}

/// True if the new elements are the stored ones in any order.
pub(super) fn is_permutation<'v>(
    old: usize,
    new: &[Tree<'v>],
    same: impl Fn(usize, &Tree<'v>) -> bool,
    held: impl Fn(usize, Option<&str>) -> Option<Held>,
) -> bool {
    old == new.len() && places_of_stored(old, new, same, held).all(|at| at.is_some())
}

/// The elements of a list in their order; of a set, those that were stored in theirs, then the
/// others.
pub(super) fn in_stored_order<'t, 'v>(
    ty: Option<&Type>,
    old: usize,
    new: &'t [Tree<'v>],
    same: impl Fn(usize, &Tree<'v>) -> bool,
    held: impl Fn(usize, Option<&str>) -> Option<Held>,
) -> Vec<&'t Tree<'v>> {
    if !is_set(ty) {
        return new.iter().collect();
    }
    let mut left = vec![true; new.len()];
    let mut ordered = Vec::with_capacity(new.len());
    for at in places_of_stored(old, new, same, held).flatten() {
        if let Some(left) = left.get_mut(at) {
            *left = false;
        }
        ordered.extend(new.get(at));
    }
    let others = new.iter().zip(left).filter(|(_, is_left)| *is_left);
    ordered.extend(others.map(|(value, _)| value));
    ordered
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use upstate::schema::Type;

    use super::{held_in, in_stored_order, is_permutation};
    use crate::document::edits::is_same;
    use crate::document::tree::{Numbers, Tree};

    #[test]
    fn few_elements_of_a_large_set_in_another_order_are_compared() {
        const MANY: usize = 20_000;
        let number = |number: usize| Tree::Number(number.to_string().into());
        let text = |number: usize| Tree::String(format!("s{number}").into());
        let object = |count: usize| {
            let kind = ("kind".into(), Tree::String("x".into()));
            Tree::Object(vec![kind, ("count".into(), number(count))])
        };
        let kinds: [&dyn Fn(usize) -> Tree<'static>; 3] = [&number, &text, &object];
        for element in kinds {
            let old: Vec<Tree<'_>> = (0..MANY).map(element).collect();
            let compared = Cell::new(0_usize);
            let same = |at: usize, value: &Tree<'_>| {
                compared.set(compared.get() + 1);
                let old = old.get(at);
                old.is_some_and(|old| is_same(old, value, None, Numbers::Equal))
            };
            let reversed: Vec<Tree<'_>> = (0..MANY).rev().map(element).collect();
            assert!(is_permutation(MANY, &reversed, same, held_in(&old)));
            // All but the last one are others.
            let others: Vec<Tree<'_>> = (MANY - 1..2 * MANY).rev().map(element).collect();
            let ty = Type::set(Type::Dynamic);
            let ordered = in_stored_order(Some(&ty), MANY, &others, same, held_in(&old));
            assert_eq!(ordered.first().copied(), old.last());
            assert_eq!(ordered.len(), MANY + 1);
            assert!(compared.get() < 5 * MANY, "{}", compared.get());
        }
    }

    #[test]
    fn the_same_elements_are_found_however_they_are_written() {
        for (old, new, expected) in [
            ("[1, 2.50, \"a\", true]", "[true, \"a\", 2.5, 1e0]", true),
            ("[[1], {\"a\": 1}]", "[{\"a\": 1.0}, [1]]", true),
            ("[{\"b\": \"x\"}]", "[{\"b\": \"x\", \"a\": 1}]", false),
            ("[\"1\", 2]", "[2, 1]", false),
            ("[1, 1, 2]", "[2, 2, 1]", false),
        ] {
            let elements = |json: &'static str| {
                let Ok(Tree::Array(elements)) = Tree::parse(json) else {
                    return Vec::new();
                };
                elements
            };
            let (old, new) = (elements(old), elements(new));
            let same = |at: usize, value: &Tree<'_>| {
                let old = old.get(at);
                old.is_some_and(|old| is_same(old, value, None, Numbers::Equal))
            };
            let found = is_permutation(old.len(), &new, same, held_in(&old));
            assert_eq!(found, expected, "{old:?} and {new:?}");
        }
    }
}
