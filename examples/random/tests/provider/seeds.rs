//! The numbers of a seed are those of Go.

use crate::seeded::{FAR_AHEAD, LAG, Seeded};

/// The ends of the table, as everyone can see it.
#[test]
fn the_table_is_that_of_go() {
    let mut table = FAR_AHEAD.clone();
    table.rotate_right(LAG);
    table.reverse();
    let table: Vec<i64> = table.into_iter().map(u64::cast_signed).collect();
    assert_eq!(
        table[..3],
        [
            -4_181_792_142_133_755_926,
            -4_576_982_950_128_230_565,
            1_395_769_623_340_756_751
        ]
    );
    assert_eq!(
        table[604..],
        [
            8_382_142_935_188_824_023,
            9_103_922_860_780_351_547,
            4_152_330_101_494_654_406
        ]
    );
}

#[test]
fn a_seed_decides() {
    let drawn = |seed: &str| Seeded::new(Some(seed)).below(3) + 1;
    assert_eq!((drawn("12345"), drawn("123456")), (3, 2));
    assert_eq!(Seeded::new(Some("-")).permutation(5), [0, 2, 1, 4, 3]);
}

#[test]
fn without_a_seed_nothing_is_known() {
    let drawn = || Seeded::new(None).below(u64::MAX >> 1);
    assert_ne!(drawn(), drawn());
    assert_eq!(Seeded::new(Some("")).below(0), 0);
}
