use upstate::Resource;

mod old {
    use upstate::Resource;

    #[derive(Resource)]
    #[resource(type_name = "thing")]
    struct ThingV0 {
        id: String,
    }
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = old::ThingV0, carry)]
struct Thing {
    id: String,
}

fn main() {}
