use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = prior::ThingV0)]
struct Thing {
    id: String,
}

mod prior {
    #[derive(upstate::Object)]
    pub struct ThingV0 {
        pub id: String,
    }
}

impl From<prior::ThingV0> for Thing {
    fn from(prior: prior::ThingV0) -> Self {
        Thing { id: prior.id }
    }
}

fn main() {}
