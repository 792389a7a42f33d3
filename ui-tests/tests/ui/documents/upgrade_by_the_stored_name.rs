use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[serde(rename_all = "camelCase")]
#[upgrade_from(0 => 1, convert(windowWidth: String, with = parse))]
struct Settings {
    window_width: u16,
}

fn parse(text: String) -> u16 {
    text.len() as u16
}

fn main() {}
