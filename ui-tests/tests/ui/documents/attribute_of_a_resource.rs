use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(computed)]
    a: u8,
}

fn main() {}
