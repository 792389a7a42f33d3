use upstate::Document;

struct Handle;

#[derive(Document)]
struct Settings {
    name: String,
    #[serde(skip)]
    handle: Handle,
}

fn main() {}
