use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, equal_to_sum_of((total, uesd), (total, part.sise)))]
struct Thing {
    total: i64,
    used: Option<i64>,
    share: Option<f64>,
    name: Option<String>,
    #[attribute(computed)]
    left: i64,
    part: Option<Part>,
}

#[derive(Object)]
struct Part {
    size: Option<i64>,
}

fn main() {}
