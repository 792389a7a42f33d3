use upstate::Document;

#[derive(Document)]
struct Inner {
    x: u8,
}

#[derive(upstate::Resource)]
#[resource(version = 0)]
struct Thing {
    inner: Inner,
}

fn main() {}
