use upstate::Document;

#[derive(Document)]
struct Settings {
    name: String,
    #[attribute(flatten, sensitive)]
    login: Login,
}

#[derive(Document)]
struct Login {
    user: String,
    password: String,
}

fn main() {}
