//! The fates of the attributes of a type between two of its versions, as numbers.

use upstate::Registry;
use upstate::upgrade::{Fate, Lanes};

/// The number of attributes that are moved, converted, new and gone in the later one of two versions, or in the earlier one where state goes
/// back. Nothing is said where several routes lead there, because each instance takes its own.
pub(super) fn fates(registry: &Registry, type_name: &str, from: u64, to: u64) -> String {
    let routes = registry.get(type_name).map(upstate::ResourceDefinition::lanes).unwrap_or_default();
    let column = |route: &Lanes, version: u64| route.versions.iter().position(|versions| versions.contains(&version));
    let mut fitting = routes.iter().filter_map(|route| Some((route, column(route, from)?, column(route, to)?)));
    let (Some((route, first, last)), None) = (fitting.next(), fitting.next()) else { return String::new() };
    let (mut moved, mut converted, mut new, mut gone) = (0_usize, 0_usize, 0_usize, 0_usize);
    for lane in &route.lanes {
        let place = |column: usize| lane.places.get(column).and_then(Option::as_ref);
        let between = lane.fates.get(first.min(last)..first.max(last)).unwrap_or_default();
        match (place(first), place(last)) {
            (Some(before), Some(after)) => {
                moved += usize::from(before != after);
                converted += usize::from(between.iter().any(|fate| matches!(fate, Fate::Converted { .. })));
            }
            (None, Some(_)) => new += 1,
            (Some(_), None) => gone += 1,
            (None, None) => {}
        }
    }
    let counts = [(moved, "moved"), (converted, "converted"), (new, "new"), (gone, "gone")];
    let some = counts.into_iter().filter(|(number, _)| *number > 0).map(|(number, fate)| format!("{number} {fate}"));
    some.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use upstate::Resource;

    use super::*;

    #[derive(Resource)]
    #[resource(type_name = "example_note", version = 2)]
    #[upgrade_from(1 => 2, convert(size: String, empty = refuse), drop(color: String, "all notes are yellow"))]
    #[upgrade_from(0 => 1, rename(name => title))]
    struct Note {
        title: String,
        size: i64,
    }

    #[test]
    fn the_fates_of_attributes_are_counted_in_both_directions() {
        let registry = Registry::new().with::<Note>();
        let between = |from, to| fates(&registry, "example_note", from, to);
        assert_eq!(between(0, 2), "1 moved, 1 converted, 1 gone");
        assert_eq!(between(2, 0), "1 moved, 1 converted, 1 new");
        assert_eq!((between(0, 1), between(2, 2)), ("1 moved".to_owned(), String::new()));
        assert_eq!(fates(&registry, "other_type", 0, 1), "");
    }
}
