use upstate::Union;

#[derive(Union)]
#[serde(default)]
enum Level {
    Low { x: u8 },
}

fn main() {}
