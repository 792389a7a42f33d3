use upstate::{Object, Resource};

#[derive(Object)]
struct Login {
    #[attribute(sensitive)]
    password: String,
    user: String,
}

#[derive(Resource)]
#[resource(type_name = "locked_vault", version = 1)]
#[upgrade_from(0 => 1, carry)]
struct Vault {
    title: String,
    tokens: Option<String>,
    logins: Option<Vec<Login>>,
}

fn main() {}
