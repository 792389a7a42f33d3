use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1,
    drop(block.old: Vec<Old>, "the API no longer has it"),
    within(attribute, within(inner, drop(old: Option<Old>, "the API no longer has it"))),
    drop(gone: Option<{ old: Vec<Old> }>, "the API no longer has it"),
)]
struct Thing {
    attribute: Option<Outer>,
    #[block]
    block: Vec<Inner>,
}

#[derive(Object)]
struct Outer {
    inner: Option<Inner>,
}

#[derive(Object)]
struct Inner {
    name: String,
}

#[derive(Object)]
struct Old {
    #[block]
    rules: Vec<Inner>,
}

fn main() {}
