use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(as_string, default = "::1")]
    size: std::net::IpAddr,
}

fn main() {}
