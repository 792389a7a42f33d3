use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {}

fn main() {}
