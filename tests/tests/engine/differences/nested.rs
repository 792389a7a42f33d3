//! What is different inside of nested objects.

same! {
    in_collections, 1,
    structs: {
        #[derive(Debug, upstate::Object)]
        pub struct RuleV0 { port: String, zone: Option<String>, legacy: Option<i64>, mode: Option<String> }

        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 {
            id: String,
            one: Option<RuleV0>,
            many: Option<Vec<RuleV0>>,
            by_name: Option<std::collections::BTreeMap<String, RuleV0>>,
            #[block]
            blocks: Vec<RuleV0>,
            boxed: Box<RuleV0>,
            same: Option<Rule>,
        }

        #[derive(Debug, upstate::Object)]
        #[upgrade_from(model = RuleV0, rename(port => number), convert(number, empty = refuse), drop(legacy, "gone"), default(mode = "auto"))]
        pub struct Rule { number: u16, zone: Option<String>, mode: String }
    }
    upgraders: {
        #[upgrade_from(0, model = ThingV0, carry)]
    }
    differences: {
        #[upgrade_from(0 => 1,
            rename(one.port: String => one.number), convert(one.number, empty = refuse), drop(one.legacy: Option<i64>, "gone"), default(one.mode = "auto"),
            within(many, rename(port: String => number), convert(number, empty = refuse), drop(legacy: Option<i64>, "gone"), default(mode = "auto")),
            within(by_name, rename(port: String => number), convert(number, empty = refuse), drop(legacy: Option<i64>, "gone"), default(mode = "auto")),
            within(blocks, rename(port: String => number), convert(number, empty = refuse), drop(legacy: Option<i64>, "gone"), default(mode = "auto")),
            within(boxed, rename(port: String => number), convert(number, empty = refuse), drop(legacy: Option<i64>, "gone"), default(mode = "auto")),
        )]
    }
    now: {
        id: String,
        one: Option<Rule>,
        many: Option<Vec<Rule>>,
        by_name: Option<std::collections::BTreeMap<String, Rule>>,
        #[block]
        blocks: Vec<Rule>,
        boxed: Box<Rule>,
        same: Option<Rule>,
    }
    states: [
        (0, r#"{"id": "a", "one": {"port": "1", "legacy": 3}, "many": [{"port": "2", "zone": "z", "mode": "m"}], "by_name": {"x": {"port": "3"}}, "blocks": [{"port": "4"}], "boxed": {"port": "5"}}"#),
        (0, r#"{"id": "a", "one": null, "many": [], "by_name": null, "blocks": [], "boxed": {"port": "5"}, "same": {"number": 1, "mode": "x"}}"#),
        (0, r#"{"id": "a", "boxed": {"port": "x"}}"#),
        (0, r#"{"id": "a", "boxed": {"port": "1"}, "many": [{"port": "1"}, {"port": "y"}]}"#),
        (0, r#"{"id": "a", "boxed": {"port": "1"}, "blocks": [{}]}"#),
        (0, r#"{"id": "a", "boxed": {"port": "1"}, "same": {"number": null}}"#),
    ],
    plain: {
        #[derive(Debug, upstate::Object)]
        pub struct Rule { number: u16, zone: Option<String>, mode: String }
    }
}

same! {
    in_chains, 2,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 1, prior)]
        #[upgrade_from(0, model = ThingV0, carry)]
        pub struct ThingV1 { id: String, wall: Option<WallV1> }

        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 { id: String, wall: Option<WallV0> }

        #[derive(Debug, upstate::Object)]
        #[upgrade_from(model = WallV1, carry)]
        pub struct Wall { rules: Vec<Rule>, title: String }

        #[derive(Debug, upstate::Object)]
        #[upgrade_from(model = WallV0, rename(name => title))]
        pub struct WallV1 { rules: Vec<RuleV1>, title: String }

        #[derive(Debug, upstate::Object)]
        pub struct WallV0 { rules: Vec<RuleV0>, name: String }

        #[derive(Debug, upstate::Object)]
        #[upgrade_from(model = RuleV1, default(mode = "auto"), only_if(has(zone), warn(zone, "It has a zone.")))]
        pub struct Rule { number: i64, zone: Option<String>, mode: String }

        #[derive(Debug, upstate::Object)]
        #[upgrade_from(model = RuleV0, set(zone = "eu"), rename(port => number))]
        pub struct RuleV1 { number: i64, zone: Option<String>, mode: Option<String> }

        #[derive(Debug, upstate::Object)]
        pub struct RuleV0 { port: i64, mode: Option<String> }
    }
    upgraders: {
        #[upgrade_from(1, model = ThingV1, carry)]
    }
    differences: {
        #[upgrade_from(1 => 2, default(wall.rules.mode = "auto"), only_if(has(wall.rules.zone), warn(wall.rules.zone, "It has a zone.")))]
        #[upgrade_from(0 => 1, within(wall, rename(name => title), within(rules, set(zone = "eu"), rename(port => number))))]
    }
    now: {
        id: String,
        wall: Option<Wall>,
    }
    states: [
        (1, r#"{"id": "a", "wall": {"title": "w", "rules": [{"number": 1, "zone": "z"}, {"number": 2, "mode": "m"}]}}"#),
        (1, r#"{"id": "a", "wall": {"title": "w", "rules": [{"port": 1}]}}"#),
        (0, r#"{"id": "a", "wall": {"name": "w", "rules": [{"port": 1, "mode": "m"}, {"port": 2}]}}"#),
        (0, r#"{"id": "a", "wall": null}"#),
        (0, r#"{"id": "a", "wall": {"name": "w", "rules": [{"port": "x"}]}}"#),
        (0, r#"{"id": "a", "wall": {"name": "w", "rules": [{"mode": "x"}]}}"#),
    ],
    plain: {
        #[derive(Debug, upstate::Object)]
        pub struct Wall { rules: Vec<Rule>, title: String }

        #[derive(Debug, upstate::Object)]
        pub struct Rule { number: i64, zone: Option<String>, mode: String }
    }
}

same! {
    arranged_otherwise, 1,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 {
            id: String,
            pools: Option<Vec<Pool>>,
            names: Option<Vec<String>>,
            users: Vec<UserV0>,
            spread: Option<Limits>,
            cpu: i64,
            memory: Option<i64>,
            host: Option<Host>,
            zone: Option<String>,
            placement: Option<PlacementV0>,
        }

        #[derive(Debug, upstate::Object)]
        pub struct Pool { region: Option<String>, pool_ids: Option<Vec<String>> }

        #[derive(Debug, upstate::Object)]
        pub struct UserV0 { name: String, age: i64 }

        #[derive(Debug, upstate::Object)]
        pub struct Limits { most: Option<i64> }

        #[derive(Debug, upstate::Object)]
        pub struct Host { address: Option<String>, port: Option<i64> }

        #[derive(Debug, upstate::Object)]
        pub struct PlacementV0 { rack: Option<String> }
    }
    upgraders: {
        #[upgrade_from(0, model = ThingV0,
            rekey(pools, key = region, value = pool_ids), unwrap(names), rekey(users, by = name), unwrap(spread, member = most),
            nest(cpu, memory => size), unnest(host => address, port), rename(zone => placement.zone),
        )]
    }
    differences: {
        #[upgrade_from(0 => 1,
            rekey(pools, key = region, value = pool_ids), unwrap(names), rekey(users, by = name), unwrap(spread, member = most),
            nest(cpu, memory => size), unnest(host => address, port), rename(zone => placement.zone),
        )]
    }
    now: {
        id: String,
        pools: Option<std::collections::BTreeMap<String, Option<Vec<String>>>>,
        names: Option<String>,
        users: std::collections::BTreeMap<String, User>,
        spread: Option<i64>,
        size: Option<Size>,
        address: Option<String>,
        port: Option<i64>,
        placement: Option<Placement>,
    }
    states: [
        (0, r#"{"id": "a", "pools": [{"region": "eu", "pool_ids": ["x"]}], "names": ["n"], "users": [{"name": "u", "age": 3}], "spread": {"most": 4}, "cpu": 1, "memory": 2, "host": {"address": "h", "port": 1}, "zone": "z", "placement": {"rack": "r"}}"#),
        (0, r#"{"id": "a", "users": [], "cpu": 1}"#),
        (0, r#"{"id": "a", "users": [{"name": "u", "age": 3}, {"name": "u", "age": 4}], "cpu": 1}"#),
        (0, r#"{"id": "a", "users": [], "cpu": 1, "pools": [{"pool_ids": []}]}"#),
        (0, r#"{"id": "a", "users": [], "cpu": "x"}"#),
        (0, r#"{"id": "a", "users": [], "cpu": 1, "host": {"address": 1}}"#),
        (0, r#"{"id": "a", "users": [], "cpu": 1, "host": {"address": []}}"#),
    ],
    with: {
        #[derive(Debug, upstate::Object)]
        pub struct User { age: i64 }
        #[derive(Debug, upstate::Object)]
        pub struct Size { cpu: i64, memory: Option<i64> }
        #[derive(Debug, upstate::Object)]
        pub struct Placement { zone: Option<String>, rack: Option<String> }
    }
}

#[derive(Debug, upstate::Object)]
struct Secret {
    user: String,
    #[attribute(sensitive)]
    password: Option<String>,
}

#[derive(Debug, upstate::Resource)]
#[resource(type_name = "example_secrets", version = 1)]
#[upgrade_from(0 => 1,
    nest(user, password => created), wrap(token, as = password), rename(pin => moved.password), unnest(key => public, private),
    rekey(many, key = user, value = password),
)]
struct Secrets {
    created: Option<Secret>,
    token: Option<Only>,
    moved: Option<Secret>,
    public: Option<String>,
    #[attribute(sensitive)]
    private: Option<String>,
    many: Vec<Secret>,
}

#[derive(Debug, upstate::Object)]
struct Only {
    #[attribute(sensitive)]
    password: Option<String>,
}

#[test]
fn what_became_a_sensitive_member_was_sensitive() {
    let history = <Secrets as upstate::Resource>::HISTORY;
    let prior = history.steps()[0].prior().unwrap().schema();
    let sensitive: Vec<_> = prior
        .block()
        .attributes()
        .iter()
        .map(|it| (it.name(), it.is_sensitive()))
        .collect();
    assert_eq!(
        sensitive,
        [
            ("key", false),
            ("many", true),
            ("moved", false),
            ("password", true),
            ("pin", true),
            ("token", true),
            ("user", false)
        ]
    );
    // Of an object that has no struct, the member is.
    let key = prior
        .block()
        .attributes()
        .iter()
        .find(|it| it.name() == "key")
        .unwrap();
    let upstate::schema::Shape::Nested(key) = key.shape() else {
        panic!("{key:?}")
    };
    let members: Vec<_> = key
        .attributes()
        .iter()
        .map(|it| (it.name(), it.is_sensitive()))
        .collect();
    assert_eq!(members, [("private", true), ("public", false)]);
}

/// The names of members are strings, so they need not be names that Rust has.
#[derive(Debug, PartialEq, upstate::Object)]
struct Disk {
    size: i64,
}

#[derive(Debug, PartialEq, upstate::Resource)]
#[resource(type_name = "example_disks", version = 1)]
#[upgrade_from(0 => 1, rekey(disks, by = "disk-name"), unwrap(first, member = "1st"))]
struct Disks {
    disks: std::collections::BTreeMap<String, Disk>,
    first: Option<String>,
}

#[test]
fn a_member_may_have_a_name_that_rust_has_not() {
    let state = br#"{"disks": [{"disk-name": "a", "size": 1}], "first": {"1st": "x"}}"#;
    let upgraded: Disks = upstate::upgrade_json(0, state).unwrap();
    assert_eq!(upgraded.disks["a"], Disk { size: 1 });
    assert_eq!(upgraded.first.as_deref(), Some("x"));
}

/// Version 0 had no `zone`, so that nothing of it goes nowhere.
mod a_new_member_of_an_object_that_moves {
    #[derive(Debug, upstate::Object)]
    struct Spot {
        row: Option<String>,
        zone: Option<String>,
    }

    #[derive(Debug, upstate::Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0 => 1, unnest(holder => frame), set(frame.zone = null))]
    struct Thing {
        frame: Spot,
    }

    #[test]
    fn is_made() {
        let thing: Thing =
            upstate::upgrade_json(0, br#"{"holder":{"frame":{"row":"r"}}}"#).unwrap();
        assert_eq!(
            (thing.frame.row.as_deref(), thing.frame.zone),
            (Some("r"), None)
        );
    }
}
