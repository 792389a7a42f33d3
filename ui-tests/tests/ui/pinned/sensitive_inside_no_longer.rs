use upstate::{Object, Resource};

#[derive(Object)]
struct Login {
    password: String,
    user: String,
}

#[derive(Resource)]
#[resource(type_name = "locked_vault", version = 1)]
#[upgrade_from(0 => 1, rename(name => title))]
struct Vault {
    title: String,
    #[attribute(sensitive)]
    token: Option<String>,
    logins: Option<Vec<Login>>,
}

fn main() {}
