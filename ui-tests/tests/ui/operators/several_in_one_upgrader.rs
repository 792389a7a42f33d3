use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, renmae(a => b), drop(c), default(size = ), set(id -> "x"), reformat(name, "{" => ""))]
struct Thing {
    id: String,
    size: i64,
    name: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
