//! Names as numbers: what the checks that run in the compiler compare in place of letters.

/// The number of a name, 64-bit FNV-1a. The derive writes it beside each name, so that const evaluation, which is slow, need not go
/// through letters; the macros have the same function.
pub(crate) const fn key(name: &str) -> u64 {
    const PRIME: u128 = 0x0100_0000_01b3;
    let mut rest = name.as_bytes();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    while let [first, after @ ..] = rest {
        // A wide product cannot overflow, and needs no call.
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is wanted")]
        {
            hash = ((hash ^ *first as u64) as u128 * PRIME) as u64;
        }
        rest = after;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_are_those_that_the_macros_write() {
        assert_eq!(key(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(key("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(key("foobar"), 0x8594_4171_f739_67e8);
    }
}
