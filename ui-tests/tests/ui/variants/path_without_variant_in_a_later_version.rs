use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "settings", version = 2)]
#[upgrade_from(1 => 2, rename(theme.colour => theme.accent))]
#[upgrade_from(0 => 1, variants(theme, "tinted" => "custom"))]
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
