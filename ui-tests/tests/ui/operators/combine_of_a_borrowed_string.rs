use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host, port => address, with = address))]
struct Thing {
    host: String,
    port: i64,
    address: String,
}

fn address(host: &str, port: i64) -> String {
    format!("{host}:{port}")
}

fn main() {}
