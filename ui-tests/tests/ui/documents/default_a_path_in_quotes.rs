use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(default = "port")]
    port: u16,
}

fn port() -> u16 {
    80
}

fn main() {}
