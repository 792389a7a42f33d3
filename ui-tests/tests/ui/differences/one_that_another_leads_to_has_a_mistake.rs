use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1 => 2, drop(notes: Option<String>))]
#[upgrade_from(0 => 1, rename(title => name))]
pub struct Thing {
    name: String,
}

fn main() {}
