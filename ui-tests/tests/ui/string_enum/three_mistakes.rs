use upstate::{Resource, StringEnum};

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    kind: Kind,
}

#[derive(StringEnum)]
#[string_enum(crate = upstate)]
enum Kind {
    #[value(name = small)]
    Small,
    Large(u32),
}

fn main() {
    let thing = upstate::upgrade_json::<Thing>(0, "{}");
    let _ = thing.map(|thing| upstate::to_json(&thing));
}
