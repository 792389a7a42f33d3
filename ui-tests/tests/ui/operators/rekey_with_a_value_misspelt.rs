use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rekey(tags, key = key, value = valu))]
struct Thing {
    tags: std::collections::BTreeMap<String, String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    tags: Vec<Tag>,
}

#[derive(Object)]
struct Tag {
    key: String,
    value: String,
}

fn main() {}
