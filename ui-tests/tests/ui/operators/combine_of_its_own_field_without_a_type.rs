use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host, port => host, with = address))]
struct Thing {
    host: String,
    port: i64,
}

fn address(host: String, port: i64) -> Result<String, String> {
    Ok(format!("{host}:{port}"))
}

fn main() {}
