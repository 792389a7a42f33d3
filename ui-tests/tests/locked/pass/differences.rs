//! What the messages of `tests/ui/pinned` say, typed.

use upstate::Resource;

mod rules {
    use upstate::Object;

    #[derive(Object)]
    pub(crate) struct Rule {
        pub(crate) port: u16,
        pub(crate) source: Option<String>,
    }

    #[derive(Object)]
    pub(crate) struct Login {
        #[attribute(sensitive)]
        pub(crate) password: String,
        pub(crate) user: String,
    }
}

use rules::{Login, Rule};

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, rename(size => limit), set(zone = null), drop(label: Option<String>, "the API no longer has it"))]
struct NewAndOld {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    fallback: Option<Rule>,
    limit: i64,
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, convert(size: i64), default(label = "none"))]
struct OtherTypes {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    fallback: Option<Rule>,
    label: String,
    size: String,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, convert(size: i64))]
struct MayBeNull {
    #[attribute(computed)]
    id: String,
    #[block(min = 1)]
    rule: Vec<Rule>,
    fallback: Option<Rule>,
    label: Option<String>,
    size: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "locked_vault", version = 1)]
#[upgrade_from(0 => 1, rename(name => title), convert(#[attribute(sensitive)] token: Option<String>, declassified = "tokens are public"))]
struct Open {
    title: String,
    token: Option<String>,
    logins: Option<Vec<Login>>,
}

#[derive(Resource)]
#[resource(type_name = "locked_vault", version = 1)]
#[upgrade_from(0 => 1, drop(#[attribute(sensitive)] token: Option<String>, "the API no longer has it"))]
struct Dropped {
    name: String,
    logins: Option<Vec<Login>>,
}
