use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(with(minutes))]
    length: i64,
}

fn main() {}
