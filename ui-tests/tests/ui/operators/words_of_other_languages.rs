use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, move(a: String => b), cast(size: Option<String>, empty = zero), add(zone = null), if(has(port), set(port = 1)))]
struct Thing {
    #[attribute(immutable)]
    b: String,
    size: Option<i64>,
    zone: Option<String>,
    #[attribute(description = "the port")]
    port: Option<i64>,
    #[attribute(flatten)]
    other: String,
    #[attribute(regex = "^a")]
    another: String,
}

fn main() {}
