//! The certificate authorities that this process trusts besides the system's, wherever it connects
//! to.
//!
//! They are set once, before anything is connected to, and belong to the process as its
//! cryptography does: clients are made in many places, and one that did not get them would trust
//! others than the rest.

use std::path::Path;
use std::sync::OnceLock;

use reqwest::{Certificate, ClientBuilder};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject as _};

static TRUSTED: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();

/// The certificates in a file, in PEM form.
pub(crate) fn read(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let what = format!(
        "the certificate authorities in {} cannot be read",
        file.display()
    );
    let found = CertificateDer::pem_file_iter(file).map_err(|error| format!("{what}: {error}"))?;
    let found = found
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| match error {
            pem::Error::Io(error) => format!("{what}: {error}"),
            // Left out, because it quotes a line, and a key may be in the same file.
            _ => format!("{what}: it is not PEM"),
        })?;
    if found.is_empty() {
        return Err(format!("{what}: it has no certificate in PEM form"));
    }
    Ok(found)
}

/// Trusts the authorities in a file from now on.
pub(crate) fn trust(file: &Path) -> Result<(), String> {
    let found = read(file)?;
    // A process has one command line, so that nobody sets others.
    let _ = TRUSTED.set(found);
    Ok(())
}

/// The authorities.
pub(crate) fn trusted() -> &'static [CertificateDer<'static>] {
    TRUSTED.get().map(Vec::as_slice).unwrap_or_default()
}

/// A client that trusts them, too.
pub(crate) fn added(client: ClientBuilder) -> Result<ClientBuilder, reqwest::Error> {
    let all = trusted()
        .iter()
        .map(|one| Certificate::from_der(one))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(client.tls_certs_merge(all))
}
