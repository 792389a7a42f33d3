use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "app.settings", version = 1)]
#[upgrade_from(0 => 1, variants(theme, "sepia" => "warm"))]
pub struct Settings {
    pub theme: Theme,
}

#[derive(Union)]
#[union(tag = "kind", rename_all = "camelCase")]
pub enum Theme {
    Plain,
    Custom { accent: String },
}

fn main() {}
