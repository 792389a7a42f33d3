use upstate::Resource;

#[derive(upstate::Object)]
struct Settings {
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0, required_with(zone, settings.zoen))]
struct Thing {
    zone: Option<String>,
    settings: Option<Settings>,
}

fn main() {}
