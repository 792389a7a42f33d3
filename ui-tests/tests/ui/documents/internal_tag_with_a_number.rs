use upstate::Union;

#[derive(Union)]
#[serde(tag = "type")]
enum Event {
    Number(u8),
}

fn main() {}
