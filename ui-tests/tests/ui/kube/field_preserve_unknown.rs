use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    #[kube(preserve_unknown_fields)]
    engine: Engine,
}

#[derive(Document)]
struct Engine {
    power: u8,
}

fn main() {}
