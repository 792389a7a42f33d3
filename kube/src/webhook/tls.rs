//! The certificate of the webhook, and its successors.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The files of a certificate and its key, and their contents as they were read.
#[derive(Debug)]
pub(super) struct Files {
    certificates: PathBuf,
    key: PathBuf,
}

/// The contents of both files.
#[derive(PartialEq, Eq, Clone)]
pub(super) struct Contents {
    certificates: Vec<u8>,
    key: Vec<u8>,
}

upstate::__debug_parts! {
    /// Says nothing of the key.
    Contents |self| {
        certificate_bytes: self.certificates.len(),
    }
}

impl Files {
    pub(super) fn new(certificates: &Path, key: &Path) -> Self {
        Self {
            certificates: certificates.to_owned(),
            key: key.to_owned(),
        }
    }

    pub(super) fn read(&self) -> Result<Contents, String> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        Ok(Contents {
            certificates: read(&self.certificates)?,
            key: read(&self.key)?,
        })
    }

    /// A way to take connections with the certificates, the webhook's own first.
    pub(super) fn acceptor(&self, contents: &Contents) -> Result<TlsAcceptor, String> {
        // The error is left out, because a key may be in the same file.
        let chain: Vec<CertificateDer<'static>> =
            CertificateDer::pem_slice_iter(&contents.certificates)
                .collect::<Result<_, _>>()
                .map_err(|_| format!("{}: it is not PEM", self.certificates.display()))?;
        if chain.is_empty() {
            return Err(format!(
                "{}: there is no certificate in it",
                self.certificates.display()
            ));
        }
        // The error is left out, because it quotes a key that is on one line.
        let key = PrivateKeyDer::from_pem_slice(&contents.key)
            .map_err(|_| format!("{}: it is not a key in PEM", self.key.display()))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS cannot be set up: {error}"))?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| {
                let (certificates, key) = (self.certificates.display(), self.key.display());
                format!("{certificates} and {key} do not belong together: {error}")
            })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    /// Looks at the files time and again, and hands on each new certificate. One that cannot be
    /// used is reported, and the old one stays.
    pub(super) async fn watch(
        self,
        mut known: Contents,
        every: Duration,
        acceptors: watch::Sender<TlsAcceptor>,
    ) {
        let mut refused = None;
        loop {
            tokio::time::sleep(every).await;
            if acceptors.is_closed() {
                return;
            }
            // A file that is not there is one that is being replaced.
            let Ok(contents) = self.read() else { continue };
            if contents == known || refused.as_ref() == Some(&contents) {
                continue;
            }
            match self.acceptor(&contents) {
                Ok(acceptor) => {
                    tracing::info!("a new certificate is used from now on");
                    known = contents;
                    refused = None;
                    acceptors.send_replace(acceptor);
                }
                Err(problem) => {
                    // The key may be replaced a moment after the certificate, so that this is not
                    // the last word.
                    tracing::warn!(
                        problem,
                        "the new certificate cannot be used, and the old one stays"
                    );
                    refused = Some(contents);
                }
            }
        }
    }
}
