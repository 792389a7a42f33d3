use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "thing", version = 1)]
#[upgrade_from(0 => 1, unwrap(port: Vec<Port>))]
struct Thing {
    port: Port,
}

#[derive(Object)]
struct Port {
    number: i64,
}

fn main() {}
