use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(address = std::net::Ipv4Addr::LOCALHOST))]
struct Thing {
    #[attribute(as_string)]
    address: std::net::Ipv4Addr,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    address: String,
}

fn main() {}
