use upstate::Document;

#[derive(Document)]
#[serde(remote = "Duration")]
struct Settings {
    a: u8,
}

fn main() {}
