use upstate::{Object, Resource};

#[derive(Object)]
struct LoginV0 {
    user: String,
    #[attribute(sensitive)]
    password: String,
}

#[derive(Object)]
struct Login {
    user: String,
    password: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry(logins: Vec<LoginV0>))]
struct Vault {
    logins: Vec<Login>,
}

fn main() {}
