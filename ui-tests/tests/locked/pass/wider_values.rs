//! A field may take more than when it was released: wider integers, more texts, in whatever order, or every value of the type.

use upstate::{Number, Resource, StringEnum};

#[derive(StringEnum)]
enum Mode {
    Ajar,
    Shut,
    Open,
    #[value(name = "half \"open\"")]
    HalfOpen,
}

mod same {
    use super::{Mode, Resource};

    #[derive(Resource)]
    #[resource(type_name = "locked_gate", version = 0)]
    struct Gate {
        mode: Mode,
        name: String,
        port: i32,
        weights: Option<Vec<f64>>,
    }
}

mod open {
    use super::{Number, Resource};

    #[derive(Resource)]
    #[resource(type_name = "locked_gate", version = 0)]
    struct Gate {
        #[attribute(as_string)]
        mode: std::net::IpAddr,
        name: String,
        port: Number,
        weights: Option<Vec<Number>>,
    }
}
