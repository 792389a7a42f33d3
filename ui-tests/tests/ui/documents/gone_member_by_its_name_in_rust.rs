use upstate::Document;

#[derive(Document)]
#[document(type_name = "app.user", version = 1)]
#[upgrade_from(0 => 1, drop(address.zip_code: Option<String>, "nobody read it"))]
struct User {
    address: Address,
}

#[derive(Document)]
#[document(rename_all = "kebab-case")]
struct Address {
    street: String,
}

fn main() {}
