use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rename(name => zone))]
struct Thing {
    field_a: i64,
    field_b: i64,
    field_c: i64,
    field_d: i64,
    field_e: i64,
    field_f: i64,
    field_g: i64,
    field_h: i64,
    field_i: i64,
    field_j: i64,
    field_k: i64,
    field_l: i64,
    field_m: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: String,
}

fn main() {}
