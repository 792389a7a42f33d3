use upstate::Union;

#[derive(Union)]
#[serde(tag = "type")]
enum Event {
    Text(String),
}

fn main() {}
