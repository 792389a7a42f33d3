use upstate::Document;

#[derive(Document)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat(String);

fn main() {}
