use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host: String, port: i64 => address, with = address, back = host))]
struct Thing {
    address: String,
}

fn address(host: String, port: i64) -> Result<String, String> {
    Ok(format!("{host}:{port}"))
}

fn host(address: String) -> Result<String, String> {
    Ok(address)
}

fn main() {}
