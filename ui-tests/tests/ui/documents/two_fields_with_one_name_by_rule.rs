use upstate::Document;

#[derive(Document)]
#[serde(rename_all = "camelCase")]
struct Settings {
    window_width: u8,
    #[serde(rename = "windowWidth")]
    other: u8,
}

fn main() {}
