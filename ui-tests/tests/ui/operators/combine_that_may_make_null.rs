use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host, port => address, with = address))]
struct Thing {
    host: Option<String>,
    port: i64,
    address: String,
}

fn address(host: String, port: i64) -> Result<String, String> {
    Ok(format!("{host}:{port}"))
}

fn main() {}
