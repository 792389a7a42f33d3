use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "settings", version = 1)]
#[upgrade_from(0 => 1, rename(theme.Custom.accent_colour => theme.Custom.accent))]
struct Settings {
    theme: Theme,
}

#[derive(Union)]
#[union(tag = "kind", rename_all_fields = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String },
}

fn main() {}
