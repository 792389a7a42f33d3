use upstate::Document;

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

#[derive(Document)]
struct Page<T> {
    items: Vec<T>,
}

fn main() {}
