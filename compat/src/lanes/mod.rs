//! The lanes of a type as JSON and as a picture, for the command line and the service.

mod svg;

use serde_json::{Value, json};
use upstate::ResourceDefinition;
use upstate::upgrade::{Fate, Lane, LaneUpgrader, Lanes};

pub use svg::{STYLE, svg, svg_of_page};

/// The lanes of a type as JSON: its routes, each with its versions, the upgraders between them, and
/// the attributes with their path in each version and their fate in each upgrader.
///
/// ```
/// use upstate::Resource;
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0 => 1, rename(name => title))]
/// struct Note { title: String }
///
/// let json = upstate_compat::lanes::json(Note::DEFINITION);
/// assert_eq!(json["routes"][0]["lanes"][0]["places"], serde_json::json!(["name", "title"]));
/// ```
pub fn json(definition: &ResourceDefinition) -> Value {
    let routes: Vec<Value> = definition.lanes().iter().map(route).collect();
    json!({"type": definition.type_name(), "version": definition.version(), "routes": routes})
}

fn route(route: &Lanes) -> Value {
    json!({
        "versions": route.versions.iter().map(|range| json!({"first": range.start(), "last": range.end()})).collect::<Vec<_>>(),
        "upgraders": route.upgraders.iter().map(upgrader).collect::<Vec<_>>(),
        "lanes": route.lanes.iter().map(lane).collect::<Vec<_>>(),
    })
}

fn upgrader(upgrader: &LaneUpgrader) -> Value {
    let verdicts = upgrader.verdicts.as_ref();
    json!({
        "written-as": upgrader.written_as,
        "condition": upgrader.condition,
        "up": verdicts.map(|verdicts| verdicts.up.to_string()),
        "back": verdicts.map(|verdicts| verdicts.down.to_string()),
    })
}

fn lane(lane: &Lane) -> Value {
    json!({"places": lane.places, "fates": lane.fates.iter().map(fate).collect::<Vec<_>>(), "secret": lane.is_secret})
}

fn fate(fate: &Fate) -> Value {
    let name = fate.name();
    match fate {
        Fate::Absent | Fate::Unknown | Fate::Kept | Fate::Moved => json!({"fate": name}),
        Fate::Converted { how } | Fate::Added { how } => json!({"fate": name, "how": how}),
        Fate::Split { from, how } => json!({"fate": name, "from": from, "how": how}),
        Fate::Merged { into } => json!({"fate": name, "into": into}),
        Fate::Dropped { reason } => json!({"fate": name, "reason": reason}),
    }
}

/// Versions as a heading names them.
fn versions(range: &std::ops::RangeInclusive<u64>) -> String {
    let (first, last) = (range.start(), range.end());
    if first == last {
        format!("version {first}")
    } else {
        format!("versions {first} to {last}")
    }
}
