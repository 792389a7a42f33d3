use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, plan)]
struct Thing {
    #[attribute(computed)]
    id: String,
    name: String,
}

fn made(plan: ThingPlan) -> Thing {
    Thing { name: plan.name }
}

fn main() {}
