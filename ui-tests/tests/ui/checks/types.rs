use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_sign")]
struct Sign {
    #[attribute(length = 1..=5)]
    amount: i64,
    #[attribute(range = 1..=5)]
    name: Option<String>,
    #[attribute(pattern = "^a")]
    names: Vec<String>,
    #[attribute(one_of("a", "b"))]
    flag: bool,
    #[attribute(one_of(1, 2))]
    word: String,
    #[attribute(validate = even)]
    legs: Option<String>,
}

fn even(_: &i64) -> Result<(), String> {
    Ok(())
}

fn main() {}
