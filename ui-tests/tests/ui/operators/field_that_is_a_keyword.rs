use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(title => r#typ))]
struct Thing {
    r#type: String,
}

fn main() {}
