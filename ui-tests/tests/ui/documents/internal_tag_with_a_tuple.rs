use upstate::Union;

#[derive(Union)]
#[serde(tag = "type")]
enum Event {
    Pair(u8, u8),
}

fn main() {}
