use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry(size: Option<String>))]
struct Thing {
    size: i64,
}

fn main() {}
