use upstate::Document;

#[derive(Document)]
#[serde(rename_all = "camelcase")]
struct Settings {
    window_width: u16,
}

fn main() {}
