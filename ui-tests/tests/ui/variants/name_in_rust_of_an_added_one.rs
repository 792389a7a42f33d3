use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "settings", version = 1)]
#[upgrade_from(0 => 1, variants(theme, add("Custom")))]
struct Settings {
    theme: Theme,
}

#[derive(Union)]
#[union(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String, border_width: u8 },
}

fn main() {}
