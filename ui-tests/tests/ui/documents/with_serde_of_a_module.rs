use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(with = upstate::serde(minutes))]
    length: i64,
}

fn main() {}
