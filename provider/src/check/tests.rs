//! Each model that compiles and that Terraform does not take.

use std::collections::BTreeMap;

use upstate::{Diagnostic, Dynamic, Object, Resource};

use crate::{
    Context, DataSource, EphemeralResource, Function, IdentifiedResource, Opened, Provider,
};

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
    #[attribute(computed)]
    plot: Option<Plot>,
}

#[derive(Object)]
struct Plot {
    number: Option<String>,
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
        echo! { $model: (); const STABLE: &'static [&'static str] = &["id", "rooms_in_all", "doors.pin", "plot.number", "rooms.in_all"]; }
    };
}

managed!(House);

impl IdentifiedResource for House {
    type Identity = HouseIdentity;

    fn identity(&self) -> HouseIdentity {
        HouseIdentity {
            id: String::new(),
            floors: Vec::new(),
            plot: BTreeMap::new(),
            door: None,
            key: String::new(),
        }
    }
}

macro_rules! safes {
    ($pair:expr) => {{
        #[derive(Resource)]
        #[resource(type_name = "test_safe", version = 0)]
        struct Paired {
            code: Option<String>,
            #[attribute(write_only)]
            code_wo: Option<String>,
            door: Door,
        }
        echo! { Paired: (); const PREFER_WRITE_ONLY: &'static [(&'static str, &'static str)] = &[$pair]; }
        let problems = Provider::new("example.com/test/test", async |_: Empty| Ok(())).with::<Paired>().check();
        problems.map_err(|problems| problems.iter().map(|problem| problem.summary().to_owned()).collect::<Vec<_>>())
    }};
}

#[derive(Object)]
struct Empty {}

#[test]
fn what_is_to_be_preferred_is_write_only_and_beside_what_is_stored() {
    assert_eq!(safes!(("code", "code_wo")), Ok(()));
    let refused = Err(vec!["Invalid Write-only Alternative".to_owned()]);
    assert_eq!(safes!(("code", "cod_wo")), refused);
    assert_eq!(safes!(("code_wo", "code")), refused);
    assert_eq!(safes!(("code", "door.pin")), refused);
}

#[test]
fn each_misuse_that_terraform_refuses_is_named() {
    let provider =
        Provider::new("example.com/test/test", async |_: Config| Ok(())).with_identified::<House>();
    let problems = provider.check().unwrap_err();
    let details: Vec<&str> = problems.iter().map(Diagnostic::detail).collect();
    let ours = " This is a mistake in the provider: report it to the authors.";
    let details: Vec<&str> = details
        .into_iter()
        .map(|detail| detail.strip_suffix(ours).unwrap())
        .collect();
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
            "test_house names \"doors.pin\" as stable, but it is not computed: it has the value that is configured. Remove it from the list.",
            "test_house names \"plot.number\" as stable, but it is part of \"plot\", which is computed as a whole. Name \"plot\" instead.",
            "test_house names \"rooms.in_all\" as stable, but has no such attribute.",
            "door in the identity of test_house is of the type [\"object\",{\"pin\":\"string\"}]. Terraform takes strings, numbers, bools and lists of them.",
            "key in the identity of test_house is a secret, and Terraform shows identities.",
            "plot in the identity of test_house is of the type [\"map\",\"string\"]. Terraform takes strings, numbers, bools and lists of them.",
        ]
    );
}

#[derive(Object, PartialEq, Eq, PartialOrd, Ord)]
struct Shelf {
    #[attribute(requires_replace_if = shrinks)]
    size: i64,
}

fn shrinks(prior: i64, planned: i64) -> bool {
    planned < prior
}

#[derive(Object, PartialEq, Eq, PartialOrd, Ord)]
struct Corner {
    shelf: Option<Shelf>,
}

#[derive(Resource)]
#[resource(type_name = "test_store", version = 0)]
struct Store {
    listed: Vec<Shelf>,
    #[attribute(set, requires_replace)]
    replaced: Vec<Shelf>,
    #[attribute(set)]
    shelves: Vec<Shelf>,
    #[block(set)]
    corners: Vec<Corner>,
}

echo! { Store: (); }

#[test]
fn a_function_decides_about_no_replacement_of_what_is_in_a_set() {
    let problems = Provider::new("example.com/test/test", async |_: Empty| Ok(()))
        .with::<Store>()
        .check()
        .unwrap_err();
    let mut details: Vec<&str> = problems.iter().map(Diagnostic::detail).collect();
    details.sort_unstable();
    let [corner, shelf] = details.as_slice() else {
        panic!("expected two problems, got {details:?}")
    };
    assert!(
        corner.starts_with("test_store.corners.shelf.size is inside a set, "),
        "{corner}"
    );
    assert!(
        shelf.starts_with("test_store.shelves.size is inside a set, "),
        "{shelf}"
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
    let ours = " This is a mistake in the provider: report it to the authors.";
    let details: Vec<&str> = problems
        .iter()
        .map(|problem| problem.detail().strip_suffix(ours).unwrap())
        .collect();
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

/// Another model of the same type name.
mod twin {
    use super::*;

    #[derive(Resource)]
    #[resource(type_name = "test_note", version = 0)]
    pub(super) struct Note {
        title: Option<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "test_note", version = 0)]
    pub(super) struct Memo {
        text: Option<String>,
    }

    echo! { Note: (); }
    echo! { Memo: (); }
}

#[test]
fn two_resources_of_one_type_name_are_refused() {
    let provider = || Provider::new("example.com/test/test", async |_: Config| Ok(()));
    let problems = provider()
        .with::<twin::Note>()
        .with::<twin::Memo>()
        .check()
        .unwrap_err();
    let twice = problems
        .iter()
        .find(|problem| problem.summary() == "Duplicate Name")
        .unwrap();
    assert!(
        twice
            .detail()
            .starts_with("Two resources are named test_note, so one of them is not served."),
        "{twice}"
    );
    let once = provider()
        .with::<twin::Note>()
        .with::<twin::Note>()
        .check()
        .unwrap_err();
    assert!(
        once.iter()
            .all(|problem| problem.summary() != "Duplicate Name")
    );
}

/// Fields that could not tell that nobody set them.
mod forgettable {
    use upstate::StringEnum;

    use super::{BTreeMap, Context, Diagnostics, Object, Resource};
    use crate::ManagedResource;

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, StringEnum)]
    pub(super) enum Kind {
        One,
        Two,
    }

    /// A string that is a prime number.
    #[derive(Clone, Copy)]
    pub(super) struct Prime(u8);

    impl std::str::FromStr for Prime {
        type Err = String;

        fn from_str(text: &str) -> Result<Self, String> {
            text.parse()
                .ok()
                .filter(|number| [2, 3, 5, 7].contains(number))
                .map(Self)
                .ok_or_else(|| "expected a prime".to_owned())
        }
    }

    impl std::fmt::Display for Prime {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.0)
        }
    }

    #[derive(Object)]
    pub(super) struct Part {
        #[attribute(computed)]
        good: bool,
        #[attribute(computed, default = false)]
        usual: bool,
    }

    #[derive(Object)]
    pub(super) struct Made {
        name: String,
        #[attribute(computed)]
        good: bool,
    }

    #[derive(Resource)]
    #[resource(type_name = "test_coin")]
    pub(super) struct Coin {
        #[attribute(computed)]
        id: String,
        #[attribute(computed)]
        heads: bool,
        #[attribute(computed)]
        kind: Kind,
        #[attribute(computed)]
        small: u16,
        #[attribute(computed)]
        large: u32,
        #[attribute(computed)]
        perhaps: Option<bool>,
        #[attribute(computed)]
        flips: Vec<bool>,
        #[attribute(computed)]
        kinds: BTreeMap<String, Kind>,
        parts: Option<Vec<Part>>,
        #[attribute(computed)]
        made: Vec<Made>,
    }

    #[derive(Resource)]
    #[resource(type_name = "test_prime")]
    pub(super) struct Number {
        #[attribute(computed, as_string)]
        prime: Prime,
    }

    #[derive(Resource)]
    #[resource(type_name = "test_named")]
    pub(super) struct Named {
        #[attribute(computed)]
        id: String,
        #[attribute(as_string)]
        prime: Prime,
    }

    #[derive(Object)]
    pub(super) struct Mooring {
        depth: i64,
        #[attribute(computed)]
        number: std::num::NonZeroU16,
    }

    fn deep(mooring: &Mooring) -> Result<(), String> {
        if mooring.depth > 1 {
            Ok(())
        } else {
            Err("is too shallow".to_owned())
        }
    }

    #[derive(Resource)]
    #[resource(type_name = "test_bay")]
    pub(super) struct Bay {
        #[attribute(validate = deep)]
        mooring: Option<Mooring>,
    }

    macro_rules! kept {
        ($($model:ident, $import:expr;)*) => {$(
            impl ManagedResource for $model {
                type Client = ();
                const IMPORT_ID: Option<&'static str> = $import;

                async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
                    Ok(plan)
                }

                async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
                    Ok(Some(state))
                }

                async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
                    Ok(plan)
                }

                async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
                    Ok(())
                }
            }
        )*};
    }
    kept!(Coin, None; Number, None; Named, Some("id"); Bay, None;);
}

#[test]
fn a_computed_field_can_be_unset() {
    use forgettable::{Bay, Coin, Named, Number};
    #[derive(Object)]
    struct Empty {}
    let provider = || Provider::new("example.com/test/test", async |_: Empty| Ok(()));
    let summaries = |problems: Diagnostics| {
        problems
            .iter()
            .map(|it| format!("{}: {}", it.summary(), it.detail()))
            .collect::<Vec<_>>()
    };
    let forgettable = |name: &str| {
        format!(
            "Computed Attribute Without A Filler: {name} is computed, and every value of its type could be an answer: no check could find that \
             a function forgot to set it. Make the field an `Option`. This is a mistake in the provider: report it to the authors."
        )
    };
    assert_eq!(
        summaries(provider().with::<Coin>().check().unwrap_err()),
        ["flips", "heads", "kind", "parts.good", "small"]
            .map(|name| forgettable(&format!("test_coin.{name}")))
    );
    assert_eq!(
        summaries(provider().with::<Number>().check().unwrap_err()),
        [forgettable("test_prime.prime")]
    );
    let unchecked = "Computed Attribute Without A Filler: test_bay.mooring.number is computed, and its type has neither null nor an empty \
                     value: no function of `validate` would be called with the object that it is in. Make the field an `Option`. This is a \
                     mistake in the provider: report it to the authors.";
    assert_eq!(
        summaries(provider().with::<Bay>().check().unwrap_err()),
        [unchecked]
    );
    let [imported] = summaries(provider().with::<Named>().check().unwrap_err())
        .try_into()
        .unwrap();
    assert!(
        imported
            .starts_with("Import Needs Its Own Function: test_named is imported by `IMPORT_ID`"),
        "{imported}"
    );
}
