//! `convert(…, seconds)`: a duration such as `1h30m` as a number of seconds, or back.

super::duration::counts!(Seconds "seconds" 1_000_000_000);
