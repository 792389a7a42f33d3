use upstate::Registry;

struct Thing {
    id: String,
}

fn main() {
    let _ = Registry::new().with::<Thing>();
}
