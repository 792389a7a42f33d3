use upstate::Union;

#[derive(Union)]
#[serde(tag = "type")]
enum Event {
    Many(Vec<u8>),
}

fn main() {}
