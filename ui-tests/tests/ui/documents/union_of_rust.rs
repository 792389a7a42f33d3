use upstate::Document;

#[derive(Document)]
union Settings {
    a: u8,
    b: u8,
}

fn main() {}
