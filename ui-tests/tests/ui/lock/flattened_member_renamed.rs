//! A member of a flattened field has another name, under a version that was released.

use upstate::Document;

#[derive(Document)]
struct Size {
    breadth: u32,
    #[attribute(default = 4)]
    height: u32,
}

#[derive(Document)]
#[document(type_name = "locked_window", version = 0)]
struct Window {
    title: String,
    #[attribute(flatten)]
    size: Size,
}

fn main() {}
