use upstate::Document;

#[derive(Document)]
#[document(type_name = "app.user", version = 1)]
#[upgrade_from(0 => 1, rename(address.zip_code => zip))]
struct User {
    zip: Option<String>,
    address: Address,
}

#[derive(Document)]
#[document(rename_all = "camelCase")]
struct Address {
    street: String,
}

fn main() {}
