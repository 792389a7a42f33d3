use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host, host => address, with = address))]
struct Thing {
    host: String,
    address: String,
}

fn address(host: String, again: String) -> Result<String, String> {
    Ok(host + &again)
}

fn main() {}
