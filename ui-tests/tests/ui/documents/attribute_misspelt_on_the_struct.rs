use upstate::Document;

#[derive(Document)]
#[serde(rename_al = "camelCase")]
struct Settings {
    a: u8,
}

fn main() {}
