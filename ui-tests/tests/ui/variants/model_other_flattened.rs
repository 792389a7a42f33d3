use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "lamp", version = 1)]
#[upgrade_from(0 => 1, model = LampV0, carry)]
struct Lamp {
    id: u8,
    #[attribute(flatten)]
    kind: Kind,
}

#[derive(Union)]
#[union(tag = "kind")]
enum Kind {
    On,
}

#[derive(Document)]
#[document(type_name = "lamp", version = 0, prior)]
struct LampV0 {
    id: u8,
    #[attribute(flatten)]
    kind: KindV0,
}

#[derive(Union)]
#[union(tag = "kind")]
enum KindV0 {
    On,
    #[attribute(other)]
    Unknown,
}

fn main() {}
