use upstate::Document;

#[derive(Document)]
#[document(type_name = "app.user", version = 1, rename_all = "kebab-case")]
#[upgrade_from(0 => 1, drop(user_name: String, "nobody read it"), set(display_name = null))]
struct User {
    display_name: Option<String>,
}

fn main() {}
