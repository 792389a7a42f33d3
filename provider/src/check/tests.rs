//! Each model that compiles and that Terraform does not take.

use std::collections::BTreeMap;

use upstate::{Dynamic, Object, Resource};

use crate::{Context, DataSource, EphemeralResource, Function, IdentifiedResource, Opened, Provider};

use super::*;

#[derive(Object)]
struct Config {
    #[attribute(name = "version")]
    release: Option<String>,
}

#[derive(Object, PartialEq, Eq, PartialOrd, Ord)]
struct Door {
    #[attribute(write_only)]
    pin: Option<String>,
}

#[derive(Object)]
struct Room {
    door: Vec<Door>,
    content: Option<Dynamic>,
}

type Rooms = BTreeMap<String, Room>;

#[derive(Object)]
struct Fitting {
    content: Option<Dynamic>,
}

type Perhaps<T> = Option<T>;

#[derive(Resource)]
#[resource(type_name = "test_house", version = 0, identity = HouseIdentity)]
struct House {
    #[block(min = 1)]
    rooms: Rooms,
    #[block(min = 2)]
    cellar: Perhaps<Door>,
    #[block(min = 1)]
    attic: Option<Door>,
    #[attribute(set)]
    doors: Vec<Door>,
    /// Elements of lists and maps that are attributes are distinguished by their place.
    fittings: Vec<Fitting>,
    #[attribute(default = 300)]
    floors: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "test_house_identity", version = 0)]
struct HouseIdentity {
    id: String,
    floors: Vec<i64>,
    plot: BTreeMap<String, String>,
    door: Option<Door>,
    #[attribute(sensitive)]
    key: String,
}

macro_rules! managed {
    ($model:ident) => {
        echo! { $model: (); const STABLE: &'static [&'static str] = &["id", "rooms_in_all", "doors.pin", "rooms.in_all"]; }
    };
}

managed!(House);

impl IdentifiedResource for House {
    type Identity = HouseIdentity;

    fn identity(&self) -> HouseIdentity {
        HouseIdentity { id: String::new(), floors: Vec::new(), plot: BTreeMap::new(), door: None, key: String::new() }
    }
}

#[test]
fn everything_that_terraform_would_not_take_is_told_by_name() {
    let provider = Provider::new("example.com/test/test", async |_: Config| Ok(())).with_identified::<House>();
    let problems = provider.check().unwrap_err();
    let details: Vec<&str> = problems.iter().map(Diagnostic::detail).collect();
    let ours = " This is a mistake in the provider.";
    let details: Vec<&str> = details.into_iter().map(|detail| detail.strip_suffix(ours).unwrap()).collect();
    assert_eq!(
        details,
        [
            "The provider's configuration calls something \"version\", which Terraform keeps for itself. Rename it.",
            "test_house.doors.pin is write-only and inside a set, whose elements Terraform tells apart by their stored values. Use a list or a map.",
            "test_house.cellar is one block at most, and its `min` or `max` is above 1. Make the field's type a `Vec`.",
            "test_house.rooms counts the blocks of a map, which Terraform does not. Remove `min` and `max`.",
            "test_house.rooms.content is dynamic and inside blocks that there may be several of, whose elements need one type. Take the \
             `Dynamic` out, or make the field around it a nested attribute that is a list, or one block.",
            "test_house names \"rooms_in_all\" as stable, but has no such attribute.",
            "test_house names \"rooms.in_all\" as stable, but has no such attribute.",
            "door in the identity of test_house is of the type [\"object\",{\"pin\":\"string\"}]. Terraform takes strings, numbers, bools and lists of them.",
            "key in the identity of test_house is a secret, and Terraform shows identities.",
            "plot in the identity of test_house is of the type [\"map\",\"string\"]. Terraform takes strings, numbers, bools and lists of them.",
        ]
    );
}

#[derive(Resource)]
#[resource(type_name = "test_weather", version = 1)]
#[upgrade_from(0 => 1, carry)]
struct Weather {
    wind: Vec<Door>,
}

impl DataSource for Weather {
    type Client = ();

    async fn read(config: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(config)
    }
}

impl EphemeralResource for Weather {
    type Client = ();

    async fn open(config: Self, _: &mut Context<()>) -> Result<Opened<Self>, Diagnostics> {
        Ok(Opened::new(config))
    }
}

#[derive(Resource)]
struct Forecast {
    #[attribute(computed)]
    day: Option<String>,
    #[block]
    gusts: Vec<Fitting>,
}

impl Function for Forecast {
    const PARAMETERS: &'static [&'static str] = &["gusts", "day"];
    const VARIADIC: bool = true;
    type Output = String;

    fn call(self) -> Result<String, Diagnostics> {
        Ok(String::new())
    }
}

#[test]
fn what_has_no_state_has_no_versions_and_a_function_is_called_with_every_argument() {
    #[derive(Object)]
    struct Config {}
    let provider = Provider::new("example.com/test/test", async |_: Config| Ok(()))
        .with_data_source::<Weather>()
        .with_ephemeral_resource::<Weather>()
        .with_function::<Forecast>();
    let problems = provider.check().unwrap_err();
    let ours = " This is a mistake in the provider.";
    let details: Vec<&str> = problems.iter().map(|problem| problem.detail().strip_suffix(ours).unwrap()).collect();
    assert_eq!(
        details,
        [
            "The data source test_weather is of version 1, and Terraform stores no state of it. Remove `version` and the upgraders.",
            "wind.pin in the data source test_weather is write-only, which only attributes of resources are. Make it sensitive.",
            "The ephemeral resource test_weather is of version 1, and Terraform stores no state of it. Remove `version` and the upgraders.",
            "wind.pin in the ephemeral resource test_weather is write-only, which only attributes of resources are. Make it sensitive.",
            "The parameter gusts of the function forecast is a block. Remove `#[block]`.",
            "The parameter day of the function forecast is computed, write-only or has a default. A call gives every argument: make it an \
             `Option` if it may be null.",
            "The function forecast is variadic, and its last parameter is not a list. Make it a `Vec`.",
        ]
    );
}
