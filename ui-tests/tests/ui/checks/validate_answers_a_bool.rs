use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_sign")]
struct Sign {
    #[attribute(validate = even)]
    legs: Option<i64>,
}

fn even(legs: &i64) -> bool {
    legs % 2 == 0
}

fn main() {}
