//! Names of fields and of operands that a `macro_rules!` is given, beside a derive that is its own.

use upstate::{Object, Resource};

use super::released::Mode;

#[derive(Object)]
struct Login {
    #[attribute(sensitive)]
    password: String,
    user: String,
}

macro_rules! vault {
    ($name:ident: $logins:ident) => {
        #[derive(Resource)]
        #[resource(type_name = "locked_vault", version = 0)]
        struct $name {
            name: String,
            #[attribute(sensitive)]
            token: Option<String>,
            $logins: Option<Vec<Login>>,
        }
    };
}

vault!(Vault: logins);

macro_rules! renamed {
    ($name:ident: $was:ident => $is:ident) => {
        #[derive(Resource)]
        #[resource(type_name = "locked_gate", version = 1)]
        #[upgrade_from(0 => 1, rename($was => $is))]
        struct $name {
            mode: Mode,
            name: String,
            $is: u16,
            weights: Option<Vec<u32>>,
        }
    };
}

renamed!(Renamed: port => number);
