use upstate::{Object, Resource};

#[derive(Object)]
struct Rule {
    number: i64,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(rules.port: i64 => rules.number), as = ThingV0)]
struct Thing {
    rules: Vec<Rule>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rekey(pools, key = region, value = ids), as = PoolsV0)]
struct Pools {
    pools: std::collections::BTreeMap<String, Vec<String>>,
}

fn main() {}
