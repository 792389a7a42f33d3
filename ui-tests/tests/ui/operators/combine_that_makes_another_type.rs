use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host, port => address, with = address))]
struct Thing {
    host: String,
    port: i64,
    address: String,
}

fn address(host: String, port: i64) -> Result<i64, String> {
    host.parse::<i64>().map(|host| host + port).map_err(|error| error.to_string())
}

fn main() {}
