//! Models with mistakes.

use upstate::{Object, Resource};

mod words {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(version = "1", typename = "example_server")]
    #[upgrade_from(0 => 1, renmae(title => name), drop(legacy, "the API no longer has it"))]
    pub struct Server {
        #[attribute(compute)]
        pub id: String,
        pub name: String,
    }
}

mod fields {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_disk", version = 1)]
    #[upgrade_from(0, model = DiskV0, carry)]
    pub struct Disk {
        pub size: i64,
        pub labels: Vec<String>,
        pub note: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_disk", version = 0, prior)]
    pub struct DiskV0 {
        pub size: i64,
        pub colour: String,
    }
}

mod types {
    use super::*;

    #[derive(Debug)]
    pub struct Port(u16);

    #[derive(Debug, Object)]
    pub struct Rule {
        pub from: Port,
        pub to: Port,
    }
}

fn unrelated() -> u8 {
    "7"
}
