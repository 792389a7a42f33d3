use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, paths)]
struct Thing {
    min_upper: i64,
    #[attribute(paths)]
    rules: Vec<Rule>,
}

#[derive(Object)]
#[object(paths)]
struct Rule {
    port: u16,
}

fn main() {
    let _ = Thing::PATHS.min_uper;
    let _ = Thing::PATHS.rules.prot;
}
