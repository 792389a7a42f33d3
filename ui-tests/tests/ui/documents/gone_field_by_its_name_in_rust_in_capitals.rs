use upstate::Document;

#[derive(Document)]
#[document(type_name = "app.user", version = 1, rename_all = "PascalCase")]
#[upgrade_from(0 => 1, rename(user => display_name))]
struct User {
    display_name: Option<String>,
}

fn main() {}
