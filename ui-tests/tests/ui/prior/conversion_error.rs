use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

struct Refused;

impl TryFrom<ThingV0> for Thing {
    type Error = Refused;

    fn try_from(_: ThingV0) -> Result<Self, Refused> {
        Err(Refused)
    }
}

fn main() {}
