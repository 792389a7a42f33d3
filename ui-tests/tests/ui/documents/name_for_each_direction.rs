use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(name(serialize = "to", deserialize = "from"))]
    place: String,
}

fn main() {}
