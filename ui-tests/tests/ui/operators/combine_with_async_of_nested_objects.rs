use upstate::{Object, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, within(hops, convert(host: String, port: i64 => address, with = address, async)))]
struct Thing {
    hops: Vec<Hop>,
}

#[derive(Object)]
struct Hop {
    address: String,
}

async fn address(host: String, port: i64, _: &UpgradeContext<'_>) -> Result<String, String> {
    Ok(format!("{host}:{port}"))
}

fn main() {}
