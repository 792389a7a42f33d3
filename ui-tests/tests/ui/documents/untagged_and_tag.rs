use upstate::Union;

#[derive(Union)]
#[serde(untagged, tag = "a")]
enum Level {
    Low { x: u8 },
}

fn main() {}
