use upstate::Resource;

#[derive(Resource)]
struct Thing {
    weights: Vec<f32>,
    sizes: Vec<usize>,
    bytes: std::collections::HashMap<i64, u8>,
}

fn main() {}
