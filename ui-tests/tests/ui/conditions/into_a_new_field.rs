use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, only_if(has(old), rename(old => inner.new)), drop(old, "it has a new place"))]
struct Server {
    inner: Option<Inner>,
}

#[derive(Object)]
struct Inner {
    new: Option<String>,
    kept: Option<String>,
}

fn main() {}
