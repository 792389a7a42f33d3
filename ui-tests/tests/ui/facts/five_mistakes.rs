use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, conflicts_with(zone), tier = beta, id_format = "x")]
struct Thing {
    #[attribute(deprecated("Use it.", since = "2"), renamed_from = "")]
    zone: Option<String>,
}

fn main() {}
