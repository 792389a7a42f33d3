use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, at_least_sum_of((total, used, name), (share, used), (total, part)))]
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
