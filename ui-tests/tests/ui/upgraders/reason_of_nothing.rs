use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1, never_released, reason = "we skipped it")]
#[upgrade_from(0, unsupported = "stop at 1.4.0", reason = "too old")]
struct Thing {
    id: String,
}

fn main() {}
