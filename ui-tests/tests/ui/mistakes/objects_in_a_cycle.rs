use upstate::{Object, Resource};

#[derive(Object)]
struct Folder {
    files: Vec<File>,
}

#[derive(Object)]
struct File {
    folder: Vec<Folder>,
}

#[derive(Resource)]
struct Disk {
    root: Folder,
}

fn main() {}
