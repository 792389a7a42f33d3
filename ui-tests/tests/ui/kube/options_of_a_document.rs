use upstate::Document;

#[derive(Document)]
#[kube(type_name = "ferry.boat", group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    name: String,
}

fn main() {}
