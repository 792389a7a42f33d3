use std::collections::BTreeMap;

use upstate::{Object, Resource};

#[derive(Object)]
struct TokenV0 {
    #[attribute(sensitive)]
    secret: String,
    scope: String,
}

#[derive(Object)]
struct Token {
    scope: String,
}

// The keys of a map are in the paths of messages.
#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(tokens: Vec<TokenV0>, by = secret))]
struct Keyed {
    tokens: BTreeMap<String, Token>,
}

#[derive(Object)]
struct TokenThatStays {
    #[attribute(sensitive)]
    secret: String,
    scope: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(tokens: Vec<TokenV0>, by = secret))]
struct KeyedByWhatStays {
    tokens: BTreeMap<String, TokenThatStays>,
}

#[derive(Object)]
#[upgrade_from(model = TokenV0, rename(scope => area))]
struct Area {
    area: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(old: Vec<TokenV0> => tokens), rekey(tokens, by = secret))]
struct KeyedAndUpgraded {
    tokens: BTreeMap<String, Area>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(tokens: Vec<TokenV0>, key = secret, value = scope))]
struct Pairs {
    tokens: BTreeMap<String, String>,
}

#[derive(Resource)]
#[resource(type_name = "by_model", version = 0)]
struct ByModelV0 {
    #[block]
    tokens: Vec<TokenV0>,
}

#[derive(Resource)]
#[resource(type_name = "by_model", version = 1)]
#[upgrade_from(0, model = ByModelV0, rekey(tokens, by = secret))]
struct ByModel {
    #[block]
    tokens: BTreeMap<String, Token>,
}

#[derive(Object)]
struct Named {
    #[attribute(sensitive)]
    name: String,
    scope: String,
}

#[derive(Object)]
struct Scope {
    scope: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(#[attribute(sensitive)] tokens: BTreeMap<String, Scope>, by = name))]
struct ListThatShowsMore {
    tokens: Vec<Named>,
}

// Nothing of these is shown, or their author says why.
#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(tokens: Vec<TokenV0>, by = secret))]
struct Hidden {
    #[attribute(sensitive)]
    tokens: BTreeMap<String, Token>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(tokens: Vec<TokenV0>, by = secret, declassified = "they were revoked"))]
struct Declassified {
    tokens: BTreeMap<String, Token>,
}

fn main() {}
