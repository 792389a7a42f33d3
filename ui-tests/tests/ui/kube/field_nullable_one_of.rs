use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    #[kube(nullable, one_of("north", "south"))]
    side: Option<String>,
}

fn main() {}
