use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind<const N: usize> {
    Small,
}

fn main() {}
