use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert((port: i64, size): Option<String>, empty = null))]
struct Server {
    port: Option<i64>,
    size: Option<i64>,
}

fn main() {}
