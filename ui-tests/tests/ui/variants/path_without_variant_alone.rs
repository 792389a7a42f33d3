use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "settings", version = 1)]
#[upgrade_from(0 => 1, set(theme.width = 1))]
struct Settings {
    theme: Theme,
}

#[derive(Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String, width: u8 },
}

fn main() {}
