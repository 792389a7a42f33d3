use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1 => 2, when = has("zone"), rename(zone => place), as = Zoned)]
#[upgrade_from(1 => 2, when = lacks("zone"), rename(region => place), as = Regional)]
#[upgrade_from(0 => 1, to = Local, rename(area => region))]
struct Thing {
    place: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, to = OtherV1, rename(area => place))]
struct Other {
    place: String,
}

fn main() {}
