use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, exactly_one_of(zone, name))]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
    #[attribute(computed)]
    name: String,
}

fn main() {}
