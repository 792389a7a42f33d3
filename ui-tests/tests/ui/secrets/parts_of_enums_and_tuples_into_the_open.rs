use std::convert::Infallible;

use upstate::{Document, Union};

#[derive(Document)]
struct Login {
    #[attribute(sensitive)]
    password: String,
}

#[derive(Union)]
enum Theme {
    Locked {
        #[attribute(sensitive)]
        key: String,
    },
    Plain,
}

#[derive(Document)]
#[document(type_name = "vault", version = 0, prior)]
struct VaultV0 {
    theme: Theme,
    title: String,
    pair: (Login, u8),
    lists: Vec<Vec<Login>>,
    choice: Theme,
}

fn joined(theme: Theme, title: String) -> Result<String, Infallible> {
    Ok(match theme {
        Theme::Locked { key } => key,
        Theme::Plain => title,
    })
}

fn opened(pair: (Login, u8)) -> Result<String, Infallible> {
    Ok(pair.0.password)
}

#[derive(Document)]
#[document(type_name = "vault", version = 1)]
#[upgrade_from(0, model = VaultV0,
    convert(theme, title => label, with = joined),
    convert(pair, with = opened),
    convert(lists, json),
    rename(choice.Locked.key => choice.Locked.text),
)]
struct Vault {
    label: String,
    pair: String,
    lists: String,
    choice: Choice,
}

#[derive(Union)]
enum Choice {
    Locked { text: String },
    Plain,
}

fn main() {}
