//! Circles: files of which each leads to every other.

use std::collections::{BTreeMap, BTreeSet};

type Graph<T> = BTreeMap<T, BTreeSet<T>>;

/// The groups of two or more that lead to each other, each in order.
pub(crate) fn circles<T: Ord + Copy>(uses: &Graph<T>) -> Vec<Vec<T>> {
    let mut found: Vec<Vec<T>> = Vec::new();
    let mut placed = BTreeSet::new();
    let back = turned(uses);
    for one in uses.keys() {
        if placed.contains(one) {
            continue;
        }
        let circle: Vec<T> = reached(uses, *one)
            .intersection(&reached(&back, *one))
            .copied()
            .collect();
        placed.extend(circle.iter().copied());
        if circle.len() > 1 {
            found.push(circle);
        }
    }
    found
}

fn turned<T: Ord + Copy>(uses: &Graph<T>) -> Graph<T> {
    let mut back: Graph<T> = BTreeMap::new();
    for (from, to) in uses
        .iter()
        .flat_map(|(from, all)| all.iter().map(move |to| (*from, *to)))
    {
        back.entry(to).or_default().insert(from);
    }
    back
}

/// All that `from` leads to, itself included.
fn reached<T: Ord + Copy>(uses: &Graph<T>, from: T) -> BTreeSet<T> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(one) = open.pop() {
        open.extend(
            uses.get(&one)
                .into_iter()
                .flatten()
                .filter(|next| seen.insert(**next)),
        );
    }
    seen
}

#[test]
fn what_leads_back_is_a_circle_and_nothing_else() {
    let uses = |arrows: &[(u8, u8)]| -> Graph<u8> {
        let mut uses: Graph<u8> = BTreeMap::new();
        for (from, to) in arrows {
            uses.entry(*from).or_default().insert(*to);
        }
        uses
    };
    assert_eq!(
        circles(&uses(&[(1, 2), (2, 3), (1, 3)])),
        Vec::<Vec<u8>>::new()
    );
    assert_eq!(
        circles(&uses(&[(1, 2), (2, 3), (3, 2), (3, 4)])),
        [vec![2, 3]]
    );
    assert_eq!(
        circles(&uses(&[(1, 2), (2, 1), (3, 4), (4, 5), (5, 3), (2, 3)])),
        [vec![1, 2], vec![3, 4, 5]]
    );
}
