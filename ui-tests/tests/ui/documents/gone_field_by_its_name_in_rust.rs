use upstate::Document;

#[derive(Document)]
#[document(type_name = "app.user", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(user_name => display_name))]
struct User {
    display_name: Option<String>,
}

fn main() {}
