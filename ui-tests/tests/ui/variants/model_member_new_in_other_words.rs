use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "settings", version = 1)]
#[upgrade_from(0 => 1, model = SettingsV0, variants(theme, "tinted" => "custom"))]
struct Settings {
    theme: Theme,
}

#[derive(Union)]
#[union(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Theme {
    Plain,
    Custom { accent: String, border_width: u8 },
}

#[derive(Document)]
#[document(type_name = "settings", version = 0, prior)]
struct SettingsV0 {
    theme: ThemeV0,
}

#[derive(Union)]
#[union(tag = "kind", rename_all = "camelCase")]
enum ThemeV0 {
    Plain,
    Tinted { accent: String },
}

fn main() {}
