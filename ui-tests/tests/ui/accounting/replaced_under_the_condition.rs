use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(has(label), copy(label => name)), only_if(lacks(title), copy(label => title)))]
struct Thing {
    name: Option<String>,
    title: Option<String>,
    label: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: Option<String>,
    title: Option<String>,
    label: Option<String>,
}

fn main() {}
