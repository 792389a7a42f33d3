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

async fn upgrade(prior: ThingV0, _context: &mut upstate::UpgradeContext<'_>) -> Result<Thing, String> {
    let shared = std::rc::Rc::new(prior.id);
    std::future::ready(()).await;
    Ok(Thing { id: shared.to_string() })
}

fn main() {}
