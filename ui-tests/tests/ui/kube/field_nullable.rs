use upstate::{Document, StringEnum};

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    #[kube(nullable)]
    name: String,
    #[kube(nullable)]
    hull: Option<Hull>,
    #[attribute(json)]
    #[kube(nullable)]
    plan: Option<Vec<u8>>,
}

#[derive(StringEnum)]
enum Hull {
    Steel,
    Wood,
}

fn main() {}
