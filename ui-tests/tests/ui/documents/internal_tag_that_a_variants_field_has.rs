use upstate::Union;

#[derive(Union)]
#[serde(tag = "kind")]
enum Event {
    Made { kind: String },
}

fn main() {}
