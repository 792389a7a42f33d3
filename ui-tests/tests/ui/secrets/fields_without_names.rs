use upstate::{Document, Union};

#[derive(Document)]
struct Token(#[attribute(sensitive)] String);

#[derive(Document)]
struct Login(String, #[attribute(sensitive)] String);

#[derive(Document)]
#[document(transparent)]
struct Key {
    #[attribute(sensitive)]
    value: String,
}

#[derive(Union)]
enum Secret {
    #[attribute(sensitive)]
    Word(String),
    Pin(#[attribute(sensitive)] u32),
}

fn main() {}
