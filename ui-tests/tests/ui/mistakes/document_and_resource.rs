use upstate::{Document, Resource};

#[derive(Document, Resource)]
struct Thing {
    zone: String,
}

fn main() {}
