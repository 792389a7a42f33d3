use upstate::StringEnum;

#[derive(StringEnum)]
#[move_from(type_name = "other", model = Other)]
enum Size {
    Small,
}

fn main() {}
