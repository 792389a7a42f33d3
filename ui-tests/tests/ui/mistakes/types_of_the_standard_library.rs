use upstate::Resource;

#[derive(Resource)]
struct Thing {
    letter: char,
    path: std::path::PathBuf,
    wait: std::time::Duration,
    four: [i64; 4],
    nothing: (),
    shared: std::sync::Arc<str>,
    borrowed: std::borrow::Cow<'static, str>,
}

fn main() {}
