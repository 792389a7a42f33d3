use upstate::Union;

#[derive(Union)]
#[serde(tag = "a", content = "a")]
enum Level {
    Low { x: u8 },
}

fn main() {}
