use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "book", version = 1)]
#[upgrade_from(0 => 1, model = BookV0, carry)]
struct Book {
    pages: Page<String>,
}

#[derive(Document)]
#[document(type_name = "book", version = 0, prior)]
struct BookV0 {
    pages: Page<u8>,
}

#[derive(Union)]
enum Page<T> {
    Empty,
    Full { items: Vec<T> },
}

fn main() {}
