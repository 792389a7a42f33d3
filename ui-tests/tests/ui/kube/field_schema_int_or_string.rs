use upstate::Document;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    #[attribute(json)]
    #[kube(schema, int_or_string)]
    port: serde_json::Value,
}

fn main() {}
