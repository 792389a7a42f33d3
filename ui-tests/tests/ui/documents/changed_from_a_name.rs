use upstate::Document;

#[derive(Document)]
struct Settings {
    #[attribute(changed(since="v1",from_name="old-zone"))]
    zone: Option<String>,
}

fn main() {}
