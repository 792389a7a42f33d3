use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_sign")]
struct Sign {
    #[attribute(validate = short)]
    text: Option<String>,
}

fn short(length: u8) -> Result<(), String> {
    if length < 9 { Ok(()) } else { Err("it is longer than 8 bytes".to_owned()) }
}

fn main() {}
