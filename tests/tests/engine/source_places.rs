//! Schemas know where their models are written.

use upstate::schema::{Attribute, Block, Presence, Schema, Shape, Type};
use upstate::{Object, Resource, ResourceDefinition};

#[derive(Resource)]
#[resource(type_name = "example_house", version = 1)]
#[upgrade_from(0, model = HouseV0)]
struct House {
    #[block]
    room: Vec<Room>,
    roof: Option<Roof>,
    #[attribute(name = "kind")]
    style: String,
}

#[derive(Object)]
struct Room {
    size: i64,
}

#[derive(Object)]
struct Roof {
    tiles: bool,
}

const HOUSE_V0: u32 = line!() + 1;
#[derive(Resource)]
#[resource(type_name = "example_house", version = 0)]
struct HouseV0 {
    style: String,
}

impl From<HouseV0> for House {
    fn from(prior: HouseV0) -> Self {
        Self {
            room: Vec::new(),
            roof: None,
            style: prior.style,
        }
    }
}

#[test]
fn models_and_objects_say_where_they_are() {
    let file = file!();
    let line = |needle: &str| {
        let text = include_str!("source_places.rs");
        let at = text
            .lines()
            .position(|line| line.starts_with(needle))
            .unwrap();
        u32::try_from(at).unwrap()
    };
    let (name, place) = House::schema().model().unwrap();
    assert_eq!(
        (name, place.file(), place.line()),
        ("engine::source_places::House", file, 6)
    );
    let block = House::schema().block();
    let (name, place) = block.blocks()[0].model().unwrap();
    assert_eq!(
        (name, place.file(), place.line()),
        ("engine::source_places::Room", file, line("struct Room"))
    );
    let roof = block
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "roof")
        .unwrap();
    let Shape::Nested(nested) = roof.shape() else {
        panic!("{roof:?}")
    };
    let (name, place) = nested.model().unwrap();
    assert_eq!(
        (name, place.line()),
        ("engine::source_places::Roof", line("struct Roof"))
    );
    let kind = block
        .attributes()
        .iter()
        .find(|attribute| attribute.name() == "kind")
        .unwrap();
    assert_eq!((kind.field(), roof.field()), (Some("style"), None));
    assert_eq!(HouseV0::schema().model().unwrap().1.line(), HOUSE_V0);
}

#[test]
fn definitions_made_while_the_program_runs_are_where_they_were_begun() {
    let schema = Schema::new(
        0,
        Block::new([Attribute::new("title", Type::String, Presence::Required)]),
    );
    assert_eq!(schema.model(), None);
    let begun = line!() + 1;
    let definition = ResourceDefinition::builder("example_note", schema.clone())
        .unsupported(0..=u64::MAX)
        .build()
        .unwrap();
    let (name, place) = definition.schema().model().unwrap();
    assert_eq!((name, place.file(), place.line()), ("", file!(), begun));
    // Where it is says nothing of what it is.
    assert_eq!(*definition.schema(), schema);
}
