use upstate::Union;

#[derive(Union)]
enum Event {
    Made {
        #[serde(flatten)]
        rest: Vec<u8>,
    },
}

fn main() {}
