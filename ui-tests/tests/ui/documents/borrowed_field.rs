use upstate::Document;

#[derive(Document)]
struct Settings<'a> {
    name: &'a str,
}

fn main() {}
