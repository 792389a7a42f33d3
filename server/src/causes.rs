//! Errors with what caused them.

use std::error::Error;

/// An error and its causes, in one line: the client of requests by itself says only that one was
/// not sent.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_cause_of_an_unsent_request_is_shown_without_its_address() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let closed = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("an address");
        let error = reqwest::get(format!("http://{closed}/?token=hunter22"))
            .await
            .expect_err("nobody listens")
            .without_url();
        let (alone, text) = (error.to_string(), with_causes(&error));
        assert!(
            text.starts_with(&format!("{alone}: ")) && !text.contains("hunter22"),
            "{text}"
        );
    }
}
