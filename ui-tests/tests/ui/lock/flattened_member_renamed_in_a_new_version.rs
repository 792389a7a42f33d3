//! The new version says nothing of a member of a flattened field that has another name.

use upstate::Document;

#[derive(Document)]
struct Size {
    breadth: u32,
    #[attribute(default = 4)]
    height: u32,
}

#[derive(Document)]
#[document(type_name = "locked_window", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Window {
    name: String,
    #[attribute(flatten)]
    size: Size,
}

fn main() {}
