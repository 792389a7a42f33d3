//! Names as numbers. The runtime has the same function: what it compares in const evaluation are these, not letters.

/// The number of a name, 64-bit FNV-1a.
pub(crate) fn of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The number of a set of strings, in whatever order.
pub(crate) fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    texts.into_iter().fold(0, |sum, text| sum.wrapping_add(of(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_that_the_runtime_computes() {
        assert_eq!(of(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(of("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of("foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(of_texts(["a", "b"]), of_texts(["b", "a"]));
    }
}
