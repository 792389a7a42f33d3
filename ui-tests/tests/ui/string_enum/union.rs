use upstate::StringEnum;

#[derive(StringEnum)]
union Kind {
    one: u32,
    two: f32,
}

fn main() {}
