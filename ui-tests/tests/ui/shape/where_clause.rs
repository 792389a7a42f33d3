use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing
where
    String: Clone,
{
    id: String,
}

fn main() {}
