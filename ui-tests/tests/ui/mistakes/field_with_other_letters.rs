use upstate::Resource;

#[derive(Resource)]
struct Thing {
    größe: i64,
}

fn main() {}
