//! `convert(…, milliseconds)`: a duration such as `1h30m` as a number of milliseconds, or back.

super::duration::counts!(Milliseconds "milliseconds" 1_000_000);
