use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host, port => address))]
struct Thing {
    host: String,
    port: i64,
    address: String,
}

fn main() {}
