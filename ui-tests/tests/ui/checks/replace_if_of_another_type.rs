use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(requires_replace_if = shrinks)]
    size: Option<i64>,
}

fn shrinks(prior: &i64, planned: &i64) -> bool {
    planned < prior
}

fn main() {}
