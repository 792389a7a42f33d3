use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, unwrap(config: Vec<ConfigV0>), drop(old: ConfigV0, "the API no longer has it"), rename(#[block] all: Vec<ConfigV0> => every))]
struct Thing {
    config: Option<Config>,
    every: Vec<Config>,
}

#[derive(Object)]
#[upgrade_from(model = ConfigV0, carry)]
struct Config {
    name: String,
    rules: Option<Vec<Rule>>,
}

#[derive(Object)]
struct ConfigV0 {
    name: String,
    #[block]
    rules: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    port: i64,
}

fn main() {}
