use upstate::Object;

#[derive(Object)]
struct Meters(f64);

fn main() {}
