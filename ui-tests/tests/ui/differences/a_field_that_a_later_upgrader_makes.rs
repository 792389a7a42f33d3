use upstate::Resource;

#[derive(Resource)]
#[resource(version = 3)]
#[upgrade_from(2 => 3, set(numeric = true))]
#[upgrade_from(1 => 2, copy(number => numeric))]
struct Password {
    number: bool,
    numeric: bool,
}

fn main() {}
