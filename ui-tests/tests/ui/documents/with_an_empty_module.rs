use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(with = hexadecimal)]
    color: u32,
}

mod hexadecimal {}

fn main() {}
