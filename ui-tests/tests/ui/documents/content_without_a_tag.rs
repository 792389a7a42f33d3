use upstate::Union;

#[derive(Union)]
#[serde(content = "a")]
enum Level {
    Low { x: u8 },
}

fn main() {}
