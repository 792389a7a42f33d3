use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host => address, with = address))]
struct Thing {
    address: String,
}

fn address(host: String) -> Result<String, String> {
    Ok(host)
}

fn main() {}
