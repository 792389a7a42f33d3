use upstate::{Document, Union};

#[derive(Document)]
struct Settings {
    #[attribute(other)]
    theme: Theme,
    #[serde(untagged)]
    width: u32,
    #[attribute(shadowed)]
    height: u32,
    #[attribute(rename_all = "camelCase")]
    title: String,
}

#[derive(Union)]
enum Theme {
    Plain(#[attribute(untagged)] u8),
    Custom {
        #[serde(other)]
        accent: String,
    },
}

fn main() {}
