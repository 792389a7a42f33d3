use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = prior::v0::Thing)]
struct Thing {
    id: String,
}

mod prior {
    pub mod v0 {
        #[derive(upstate::Resource)]
        #[resource(version = 0)]
        pub struct Thing {
            pub id: String,
        }
    }
}

fn main() {}
