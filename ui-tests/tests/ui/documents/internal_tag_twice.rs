use upstate::Union;

#[derive(Union)]
#[serde(tag = "kind")]
enum Inner {
    Low { x: u8 },
}

#[derive(Union)]
#[serde(tag = "kind")]
enum Event {
    Made(Inner),
}

fn main() {}
