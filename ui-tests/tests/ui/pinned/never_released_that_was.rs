use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "locked_vault", version = 1)]
#[upgrade_from(0, never_released)]
struct Vault {
    title: String,
}

fn main() {}
