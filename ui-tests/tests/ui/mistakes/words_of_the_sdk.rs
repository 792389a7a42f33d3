use upstate::Resource;

#[derive(Resource)]
struct Thing {
    #[attribute(force_new)]
    zone: String,
    #[attribute(read_only)]
    id: String,
    #[attribute(secret)]
    token: String,
    #[attribute(skip)]
    cache: String,
    #[attribute(nullable)]
    note: Option<String>,
    #[attribute(description = "What it is called.")]
    name: String,
}

fn main() {}
