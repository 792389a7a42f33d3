use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 0, at_least_sum_of(total), at_most_sum_of(total, total), equal_to_sum_of((total, used, part.size), (total, part.size, used)))]
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
