//! A type for each operator and what it may meet.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "the functions of upgraders have this form"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use super::Case;

/// Types with one field's difference each: its upgrader, and its fields today.
macro_rules! cases {
    ($($name:ident ($($difference:tt)*) { $($fields:tt)* })*) => {
        $(mod $name {
            #[allow(unused_imports, reason = "not all of them use what is here")]
            use super::*;

            #[derive(Debug, crate::Resource)]
            #[resource(type_name = "example_thing", version = 1)]
            #[upgrade_from(0 => 1, $($difference)*)]
            pub(super) struct Thing { $($fields)* }
        })*

        fn of_resources() -> Vec<Case> {
            vec![$(Case::of::<$name::Thing>(stringify!($name))),*]
        }
    };
}

/// Documents with one field's difference each, for what no resource has.
macro_rules! documents {
    ($($name:ident ($($difference:tt)*) { $($fields:tt)* })*) => {
        $(mod $name {
            #[allow(unused_imports, reason = "not all of them use what is here")]
            use super::*;

            #[derive(Debug, crate::Document)]
            #[document(type_name = "example.thing", version = 1)]
            #[upgrade_from(0 => 1, $($difference)*)]
            pub(super) struct Thing { $($fields)* }
        })*

        fn of_documents() -> Vec<Case> {
            vec![$(Case::of::<$name::Thing>(stringify!($name))),*]
        }
    };
}

pub(in super::super) fn all() -> Vec<Case> {
    let mut all = of_resources();
    all.extend(of_documents());
    all
}

#[derive(Debug, crate::Union)]
enum Tagged {
    Plain,
    Custom { a: String, b: u8 },
    Pair(String, i64),
}

#[derive(Debug, crate::Union)]
#[union(tag = "kind")]
enum Inside {
    Plain,
    Custom { a: Option<String>, b: u8 },
}

#[derive(Debug, crate::Union)]
#[union(tag = "kind", content = "of")]
enum Beside {
    Plain,
    Custom { a: String, b: u8 },
}

documents! {
    variants_renamed (variants(a, "Old" => "Custom", "Simple" => "Plain"), rename(a.Custom.x => a.Custom.a)) { a: Tagged }
    variants_traded (variants(a, "Plain" => "Custom", "Custom" => "Plain")) { a: Beside }
    variants_of_elements (variants(a, "Old" => "Custom")) { a: BTreeMap<String, Inside> }
    variants_moved (rename(z => a), variants(a, "Old" => "Custom")) { a: Option<Beside> }
    variants_dropped (variants(a, drop("Gone", "nobody used it", as = "Plain"))) { a: Vec<Tagged> }
    variants_dropped_content (variants(a, drop("Gone": i64, "nobody used it", as = "Plain"))) { a: Beside }
    variants_added (variants(a, add("Pair"))) { a: Tagged }
    variants_with_members (set(a.Custom.b = 3), rename(a.Custom.b => a.Custom.a)) { a: Inside }
    variants_without_members (drop(a.Custom.z: Option<String>, "nobody used it")) { a: Inside }
    variants_with_numbers (convert(a.Custom.b: Mode)) { a: Inside }
    tuple_widened (carry(a: (u8, String))) { a: (u32, Option<String>) }
    keys_widened (model = ByByte, carry) { a: BTreeMap<u16, i64> }
    keys_renamed (model = ByByte, rename(a => b)) { b: BTreeMap<String, i64> }
    keys_in_lists (model = ListsByByte, carry) { a: Vec<BTreeMap<String, bool>> }
    keys_of_objects (model = BinsByByte, carry) { a: BTreeMap<String, Bin> }
    nulls_in_lists (model = Rows, carry) { a: Vec<Vec<Option<u8>>> }
    nulls_in_tuples (model = Ranked, carry) { a: (Vec<Option<u8>>, u8) }
}

/// Version 0 of the documents with a model, each with one field.
macro_rules! before {
    ($($name:ident { $ty:ty })*) => {
        $(
            #[derive(Debug, crate::Document)]
            #[document(type_name = "example.thing", version = 0)]
            struct $name { a: $ty }
        )*
    };
}

before! {
    ByByte { BTreeMap<u8, i64> }
    ListsByByte { Vec<BTreeMap<u8, bool>> }
    BinsByByte { BTreeMap<u8, Bin> }
    Rows { Vec<Vec<u8>> }
    Ranked { (Vec<u8>, u8) }
}

#[derive(Debug, crate::Document)]
struct Bin {
    s: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, crate::StringEnum)]
enum Mode {
    Auto,
    Manual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, crate::StringEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Ob {
    s: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Two {
    a: String,
    b: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Four {
    a: Option<String>,
    b: i64,
    c: bool,
    d: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Loose {
    a: Option<String>,
    b: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Lists {
    a: Option<Vec<String>>,
    m: Option<BTreeMap<String, String>>,
    o: Option<Vec<Ob>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Needy {
    z: Option<String>,
    w: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
#[upgrade_from(model = Needy, drop(z, "moved"))]
struct Lean {
    w: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Pair {
    k: String,
    v: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Counted {
    k: i64,
    v: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Keyed {
    k: String,
    v: Option<i64>,
    w: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct Rest {
    v: Option<i64>,
    w: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
#[upgrade_from(model = Counted, rename(v => w))]
struct Unkeyed {
    w: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
#[upgrade_from(model = Counted, rename(v => w), drop(k, "it is the key"))]
struct UnkeyedByDrop {
    w: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
#[upgrade_from(model = Counted, rename(v => w, k => n))]
struct KeyedTwice {
    w: String,
    n: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
#[upgrade_from(model = Ob, rename(s => v))]
struct Named {
    k: String,
    v: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct One {
    m: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, crate::Object)]
struct OneOrNone {
    m: Option<String>,
    n: Option<i64>,
}

fn parse(text: String) -> Result<u64, String> {
    text.trim_end_matches('s')
        .parse()
        .map_err(|_| "it is not a size".to_owned())
}

fn print(size: u64) -> Result<String, Infallible> {
    Ok(size.to_string())
}

fn joined(a: String, b: String) -> Result<String, Infallible> {
    Ok(format!("{a}+{b}"))
}

fn parted(text: String) -> Result<(String, String), String> {
    let (a, b) = text.split_once('+').ok_or("there is no +")?;
    Ok((a.to_owned(), b.to_owned()))
}

fn shouted(text: String) -> Result<String, Infallible> {
    Ok(text.to_uppercase())
}

cases! {
    widened (carry(a: u8, b: String, c: Vec<i8>)) { a: i64, b: Option<String>, c: Vec<i64> }
    floated (carry(a: i32, b: f64)) { a: f64, b: crate::Number }
    set_as_list (carry(a: BTreeSet<String>)) { a: Vec<String> }
    renamed (rename(a: String => b, c: Option<Vec<i64>> => d)) { b: String, d: Option<Vec<i64>> }
    renamed_widened (rename(a: u8 => b)) { b: Option<i64> }
    renamed_keep (rename(a: Option<String> => b, existing = keep)) { b: Option<String> }
    renamed_replace (rename(a: Option<String> => b, existing = replace)) { b: Option<String> }
    renamed_refuse (rename(a: Option<String> => b, existing = refuse)) { b: Option<String> }
    renamed_twice (rename(o: String => a, o => b)) { a: String, b: String }
    renamed_out (carry(x: Option<Needy>), rename(x.z => z)) { z: Option<String>, x: Option<Lean> }
    renamed_in (rename(z: Option<String> => x.b)) { x: Option<Loose> }
    copied (copy(a => b)) { a: String, b: String }
    set_to (set(a = 3)) { a: i64, b: Option<String> }
    set_over (set(a = "on"), drop(a: Option<String>, "it is on")) { a: String }
    defaulted (default(a: Option<String> = "a")) { a: String }
    defaulted_where (default(a: Option<String> = "a", when = (null, "", "b"))) { a: String }
    defaulted_empty (default(a: Option<Vec<String>> = [], when = empty)) { a: Option<Vec<String>> }
    nulled (null_if(a: String, "")) { a: Option<String> }
    nulled_more (null_if(a: Option<i64>, 0, -1)) { a: Option<i64> }
    nulled_empty (null_if(a: Option<Vec<String>>, empty)) { a: Option<Vec<String>> }
    convert_int (convert(a: i64)) { a: String }
    convert_byte (convert(a: u8)) { a: String }
    convert_bool (convert(a: bool)) { a: String }
    convert_enum (convert(a: Mode)) { a: String }
    convert_into_enum (convert(a: String)) { a: Mode }
    convert_text (convert(a: String, empty = refuse)) { a: i64 }
    convert_text_null (convert(a: String, empty = null)) { a: Option<i64> }
    convert_text_or_null (convert(a: Option<String>, empty = null)) { a: Option<i64> }
    convert_text_zero (convert(a: Option<String>, empty = zero)) { a: Option<i64> }
    convert_int_zero (convert(a: Option<i64>, empty = zero)) { a: Option<String> }
    convert_text_bool (convert(a: String, empty = zero)) { a: bool }
    convert_int_float (convert(a: i64)) { a: f64 }
    convert_float_int (convert(a: f64)) { a: i64 }
    convert_bool_number (convert(a: bool)) { a: i64 }
    each_converted (each(convert(a: Vec<i64>))) { a: Vec<String> }
    convert_list_set (convert(a: Vec<String>)) { a: BTreeSet<String> }
    each_converted_set (each(convert(a: BTreeSet<i64>))) { a: BTreeSet<String> }
    convert_object (convert(a: Loose)) { a: BTreeMap<String, String> }
    convert_dynamic (convert(a: String)) { a: crate::Dynamic }
    json_read (convert(a: String, json)) { a: Vec<String> }
    json_written (convert(a: Option<Vec<String>>, json)) { a: Option<String> }
    json_object (convert(a: Loose, json)) { a: String }
    length (convert(a: String, length)) { a: i64 }
    seconds (convert(a: String, seconds)) { a: i64 }
    seconds_back (convert(a: i64, seconds)) { a: String }
    milliseconds (convert(a: Option<i64>, milliseconds)) { a: Option<String> }
    milliseconds_read (convert(a: String, milliseconds)) { a: u64 }
    trimmed (convert(a: Option<String>, trimmed)) { a: Option<String> }
    lowercase (convert(a: Option<String>, lowercase)) { a: Option<String> }
    function (convert(a: String, with = shouted)) { a: String }
    function_back (convert(a: String, with = parse, back = print)) { a: u64 }
    function_filled (fill(a => b, with = shouted)) { a: String, b: String }
    combined (convert(a: String, b: String => x, with = joined)) { x: String }
    combined_back (convert(a: String, b: String => x, with = joined, back = parted)) { x: String }
    values_all (values(a: String, "a" => "x", "b" => "y")) { a: String }
    values_two_to_one (values(a: String, "a" => "x", "b" => "x")) { a: String }
    values_null (values(a: Option<String>, "a" => null, "b" => "y")) { a: Option<String> }
    values_keep (values(a: Option<String>, "a" => "x", _ => keep)) { a: Option<String> }
    values_swap (values(a: String, "on" => "off", "off" => "on", _ => keep)) { a: String }
    values_become (values(a: String, "a" => "x", _ => "other")) { a: String }
    values_enum (values(a: Mode, "auto" => "on", "manual" => "off")) { a: Switch }
    values_bool (values(a: bool, true => "on", false => "off")) { a: String }
    reformatted (reformat(a: String, "{a}/{b}" => "as/{a}/bs/{b}")) { a: String }
    reformatted_one (reformat(a: Option<String>, "{a}" => "x-{a}")) { a: Option<String> }
    reformatted_keep (reformat(a: String, "{a}/{b}" => "as/{a}/bs/{b}", _ => keep)) { a: String }
    reformatted_become (reformat(a: Option<String>, "{a}/{b}" => "{b}/{a}", _ => null)) { a: Option<String> }
    reformatted_several (reformat(a: String, "{a}/{b}" => "{b}/{a}", "{a}" => "x/{a}")) { a: String }
    reformatted_dashes (reformat(a: String, "{a}/{b}" => "x-{a}/{b}-y")) { a: String }
    reformatted_bare (reformat(a: String, "x-{a}" => "{a}")) { a: String }
    reformatted_letters (reformat(a: String, "as/{a}/bs/{b}", ignore_case)) { a: String }
    composed (reformat(x = "{a}/{b}"), drop(a: String, b: String, "they are in x")) { x: String }
    split_fields (split(x: String, "{a}/{b}")) { a: String, b: String }
    split_all (split(x: Option<String>, "{a}/{b..}")) { a: Option<String>, b: Option<String> }
    split_some (split(x: String, "{a}/{_..}")) { a: String }
    split_optional (split(x: String, "{a}:{b|80}/{c..|}")) { a: String, b: String, c: String }
    split_list (split(a: String, ",")) { a: Vec<String> }
    joined_list (join(a: Vec<String>, ",")) { a: String }
    merged (merge(a: Vec<String>, b: Option<Vec<String>> => x)) { x: Vec<String> }
    zipped (zip(a: Vec<String>, b: Vec<i64> => x)) { x: Vec<Two> }
    zipped_or_null (zip(a: Option<Vec<String>>, b: Option<Vec<i64>> => x)) { x: Option<Vec<Two>> }
    zipped_of_three (zip(a: Vec<String>, b: Vec<i64>, c: Vec<bool> => x)) { x: Vec<Four> }
    zipped_map (zip(a: Vec<String>, b: Vec<i64> => x)) { x: BTreeMap<String, i64> }
    merged_maps (merge(a: BTreeMap<String, String>, b: Option<BTreeMap<String, String>> => x)) { x: BTreeMap<String, String> }
    merged_list (merge(a: Vec<BTreeMap<String, String>>)) { a: BTreeMap<String, String> }
    unwrapped (unwrap(a: Vec<String>)) { a: Option<String> }
    unwrapped_nullable (unwrap(a: Option<Vec<Ob>>)) { a: Option<Ob> }
    unwrapped_block (unwrap(#[block] a: Vec<Ob>)) { a: Option<Ob> }
    unwrapped_first (unwrap(a: Vec<Ob>, many = first)) { a: Option<Ob> }
    unwrapped_object (unwrap(a: Vec<Loose>, empty = object)) { a: Loose }
    unwrapped_refuse (unwrap(a: Vec<String>, empty = refuse)) { a: String }
    wrapped (wrap(a: Option<String>)) { a: Vec<String> }
    wrapped_required (wrap(a: Ob)) { a: Vec<Ob> }
    wrapped_null (wrap(a: Option<String>, empty = null)) { a: Option<Vec<String>> }
    enclosed (wrap(a: Option<String>, as = m)) { a: Option<OneOrNone> }
    enclosed_required (wrap(a: String, as = m)) { a: One }
    member (unwrap(a: One, member = m)) { a: String }
    member_of_several (unwrap(a: Option<OneOrNone>, member = m)) { a: Option<String> }
    rekeyed (rekey(a: Vec<Keyed>, by = k)) { a: BTreeMap<String, Rest> }
    rekeyed_pairs (rekey(a: Vec<Pair>, key = k, value = v)) { a: BTreeMap<String, String> }
    rekeyed_set (rekey(#[attribute(set)] a: Vec<Pair>, key = k, value = v)) { a: BTreeMap<String, String> }
    rekeyed_counted (rekey(#[attribute(set)] a: Vec<Counted>, key = k, value = v)) { a: BTreeMap<String, String> }
    rekeyed_upgraded (rekey(a: Vec<Counted>, by = k)) { a: BTreeMap<String, Unkeyed> }
    rekeyed_upgraded_set (rekey(a: BTreeSet<Counted>, by = k)) { a: BTreeMap<String, Unkeyed> }
    rekeyed_upgraded_drop (rekey(a: BTreeSet<Counted>, by = k)) { a: BTreeMap<String, UnkeyedByDrop> }
    rekeyed_upgraded_twice (rekey(a: BTreeSet<Counted>, by = k)) { a: BTreeMap<String, KeyedTwice> }
    rekeyed_upgraded_paths (rekey(a, by = k: i64), convert(a.v: i8)) { a: BTreeMap<String, Rest> }
    rekeyed_upgraded_back (rekey(a: BTreeMap<String, Ob>, by = k)) { a: BTreeSet<Named> }
    rekeyed_upgraded_list (rekey(a: Option<BTreeMap<String, Ob>>, by = k)) { a: Option<Vec<Named>> }
    rekeyed_back (rekey(a: BTreeMap<String, String>, key = k, value = v)) { a: Vec<Pair> }
    filtered (filter(a: Vec<String>, "", "x")) { a: Vec<String> }
    filtered_keys (filter(a: BTreeMap<String, String>, key = "aws:{_..}")) { a: BTreeMap<String, String> }
    filtered_keys_kept (copy(a => all), filter(a: BTreeMap<String, String>, key = "aws:{_..}")) { a: BTreeMap<String, String>, all: BTreeMap<String, String> }
    each_nulled (each(null_if(a: Vec<String>, ""))) { a: Vec<Option<String>> }
    each_trimmed (each(convert(a: Vec<String>, trimmed))) { a: Vec<String> }
    each_values (each(values(a: BTreeMap<String, String>, "a" => "x", "b" => "y"))) { a: BTreeMap<String, String> }
    nested (nest(a: Option<String>, b: Option<String> => x)) { x: Option<Loose> }
    unnested (unnest(x: Option<Lists> => a, m, o)) { a: Option<Vec<String>>, m: Option<BTreeMap<String, String>>, o: Option<Vec<Ob>> }
    unnested_required (unnest(x: Loose => a, b)) { a: Option<String>, b: Option<String> }
    unnested_list (unnest(x: Vec<Loose> => a, b)) { a: Option<String>, b: Option<String> }
    unnested_lists (unnest(x: Vec<Lists> => a, m, o)) { a: Option<Vec<String>>, m: Option<BTreeMap<String, String>>, o: Option<Vec<Ob>> }
    unnested_block (unnest(#[block] x: Vec<Loose> => a, b)) { a: Option<String>, b: Option<String> }
    dropped (drop(z: Option<String>, "nobody used it")) { a: String }
    dropped_back (drop(z: String, "nobody used it", back = "z")) { a: String }
    dropped_required (drop(z: String, "nobody used it")) { a: String }
    guarded_set (only_if(is(k, "a"), set(a = "on")), drop(a: Option<String>, "it is on")) { a: Option<String>, k: String }
    guarded_rename (only_if(has(z), rename(z: Option<String> => p)), only_if(not(has(z)), rename(r: Option<String> => p)), drop(p: Option<String>, r, "one counts")) { p: Option<String> }
    guarded_values (only_if(is(k, "a"), values(a: String, "on" => "off", _ => keep))) { a: String, k: String }
    guarded_refuse (rename(a: Option<String> => b), only_if(lacks(a), refuse("ask the owner"))) { b: Option<String> }
    guarded_warn (rename(a: Option<String> => b), only_if(lacks(a), warn("ask the owner"))) { b: Option<String> }
    within_object (within(x, convert(b: i64))) { x: Loose }
}
