use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(default = "80")]
    port: u16,
}

fn main() {}
