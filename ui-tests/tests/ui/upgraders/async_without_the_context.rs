use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, with = upgrade, async)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

async fn upgrade(prior: ThingV0) -> Result<Thing, String> {
    std::future::ready(()).await;
    Ok(Thing { id: prior.id })
}

fn main() {}
