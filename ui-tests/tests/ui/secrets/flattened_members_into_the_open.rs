use std::collections::BTreeMap;

use upstate::{Document, Union};

#[derive(Document)]
struct LoginV0 {
    #[attribute(sensitive)]
    password: String,
}

#[derive(Document)]
struct Login {
    password: String,
}

#[derive(Document)]
struct AccountV0 {
    id: u8,
    #[attribute(flatten)]
    login: LoginV0,
}

#[derive(Document)]
struct Account {
    id: u8,
    #[attribute(flatten)]
    login: Login,
}

/// Carried in a field, and made into a string.
#[derive(Document)]
#[document(type_name = "nested", version = 1)]
#[upgrade_from(0 => 1, carry(account: AccountV0), convert(other: AccountV0, json))]
struct Nested {
    account: Account,
    other: String,
}

#[derive(Document)]
#[document(type_name = "top", version = 0, prior)]
struct TopV0 {
    #[attribute(flatten)]
    login: LoginV0,
}

/// Under another name of the struct itself.
#[derive(Document)]
#[document(type_name = "top", version = 1)]
#[upgrade_from(0, model = TopV0, rename(password => text))]
struct Top {
    text: String,
}

#[derive(Union)]
enum SignIn {
    Password(LoginV0),
    Guest,
}

#[derive(Document)]
#[document(type_name = "site", version = 0, prior)]
struct SiteV0 {
    id: u8,
    #[attribute(flatten)]
    sign_in: SignIn,
}

/// In a map, which holds strings.
#[derive(Document)]
#[document(type_name = "site", version = 1)]
#[upgrade_from(0, model = SiteV0, carry)]
struct Site {
    id: u8,
    #[attribute(rest)]
    rest: BTreeMap<String, String>,
}

fn main() {}
