use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    #[kube(schema)]
    name: String,
    #[attribute(json)]
    #[kube(schema)]
    engine: Option<Engine>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Engine {
    power: u8,
}

fn main() {}
