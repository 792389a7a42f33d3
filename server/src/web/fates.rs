//! The fates of the attributes of a type between two of its versions, as numbers.

use upstate::Registry;

use crate::service::Fates;

/// The number of attributes that are moved, converted, new and gone between two versions, as far as
/// it is known.
pub(super) fn fates(registry: &Registry, type_name: &str, from: u64, to: u64) -> String {
    let Fates {
        moved,
        converted,
        new,
        gone,
    } = Fates::between(registry, type_name, from, to).unwrap_or_default();
    let counts = [
        (moved, "moved"),
        (converted, "converted"),
        (new, "new"),
        (gone, "gone"),
    ];
    let some = counts
        .iter()
        .filter(|(paths, _)| !paths.is_empty())
        .map(|(paths, fate)| format!("{} {fate}", paths.len()));
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
        assert_eq!(
            (between(0, 1), between(2, 2)),
            ("1 moved".to_owned(), String::new())
        );
        assert_eq!(fates(&registry, "other_type", 0, 1), "");
    }
}
