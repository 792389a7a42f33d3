use upstate::Document;

#[derive(Document)]
#[serde(rename_all_fields = "camelCase")]
struct Settings {
    a_b: u8,
}

fn main() {}
