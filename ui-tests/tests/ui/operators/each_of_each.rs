use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, each(each(convert(sizes))))]
struct Thing {
    sizes: Vec<i64>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    sizes: Vec<String>,
}

fn main() {}
