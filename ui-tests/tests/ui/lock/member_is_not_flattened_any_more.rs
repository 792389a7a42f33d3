//! A field that was flattened is stored below its own name now.

use upstate::Document;

#[derive(Document)]
struct Size {
    width: u32,
    #[attribute(default = 4)]
    height: u32,
}

#[derive(Document)]
#[document(type_name = "locked_window", version = 0)]
struct Window {
    title: String,
    size: Size,
}

fn main() {}
