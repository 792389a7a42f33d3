use upstate::Union;

#[derive(Union)]
struct Settings {
    a: u8,
}

fn main() {}
