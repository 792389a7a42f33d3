//! Objects nested as deeply as those of real providers, which operators and typed paths name.

#![allow(clippy::unwrap_used, clippy::many_single_char_names, reason = "tests")]

use upstate::{Object, Resource};

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_deep", version = 1)]
#[upgrade_from(0, model = DeepV0, rename(a.b.c.d.e.f.g.h.i.j.k.l.kept => name), drop(a.b.c.d.e.f.g.h.i.j.k.l.lost, "nobody used it"))]
struct Deep {
    name: String,
    a: A,
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_deep", version = 0, prior)]
struct DeepV0 {
    a: AV0,
}

macro_rules! nested {
    ($($outer:ident { $name:ident: $inner:ident })*) => {$(
        #[derive(Debug, PartialEq, Object)]
        struct $outer {
            $name: $inner,
        }
    )*};
}

nested! {
    A { b: B }
    B { c: C }
    C { d: D }
    D { e: E }
    E { f: F }
    F { g: G }
    G { h: H }
    H { i: I }
    I { j: J }
    J { k: K }
    K { l: L }
    AV0 { b: BV0 }
    BV0 { c: CV0 }
    CV0 { d: DV0 }
    DV0 { e: EV0 }
    EV0 { f: FV0 }
    FV0 { g: GV0 }
    GV0 { h: HV0 }
    HV0 { i: IV0 }
    IV0 { j: JV0 }
    JV0 { k: KV0 }
    KV0 { l: LV0 }
}

#[derive(Debug, PartialEq, Object)]
struct L {
    size: u8,
}

#[derive(Debug, PartialEq, Object)]
struct LV0 {
    kept: String,
    lost: String,
    size: u8,
}

#[test]
fn members_of_the_twelfth_object_are_named_by_operators() {
    let state = (0..12).rev().fold(
        r#"{"kept":"x","lost":"y","size":7}"#.to_owned(),
        |inner, level| {
            let name = char::from(b'a' + u8::try_from(level).unwrap());
            format!("{{\"{name}\":{inner}}}")
        },
    );
    let deep: Deep = upstate::upgrade_json(0, state).unwrap();
    assert_eq!(
        (deep.name.as_str(), deep.a.b.c.d.e.f.g.h.i.j.k.l.size),
        ("x", 7)
    );
}
