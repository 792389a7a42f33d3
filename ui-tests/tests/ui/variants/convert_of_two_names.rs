use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "settings", version = 1)]
#[upgrade_from(0 => 1, convert(theme.Custom.width: String, empty = refuse))]
struct Settings {
    theme: Theme,
}

#[derive(Union)]
enum Theme {
    Plain,
    Custom {
        accent: String,
        #[attribute(alias = "breadth")]
        width: u8,
    },
}

fn main() {}
