//! TLS, where a certificate is given: the server goes on with the newest one in its files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

/// The interval at which the files are read again.
const INTERVAL: Duration = Duration::from_secs(10);

/// The bytes of both files.
#[derive(Clone, PartialEq, Eq)]
struct Contents {
    certificates: Vec<u8>,
    key: Vec<u8>,
}

/// The certificate for new connections, of a PEM file with the server's own first, and its key of
/// another.
pub(super) struct Certificate {
    certificates: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

/// Shows nothing of the key.
impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("certificates", &self.certificates)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

/// Takes TLS connections with the certificate in two files, as long as it runs with the newest one.
pub(super) fn acceptor(certificates: &Path, key: &Path) -> Result<TlsAcceptor, String> {
    let contents = read(certificates, key)?;
    let current = RwLock::new(Arc::new(usable(certificates, key, &contents)?));
    let certificate = Arc::new(Certificate {
        certificates: certificates.to_owned(),
        key: key.to_owned(),
        current,
    });
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be set up: {error}"))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::<Certificate>::clone(&certificate));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    tokio::spawn(async move { certificate.keep_fresh(contents).await });
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(certificates: &Path, key: &Path) -> Result<Contents, String> {
    let read =
        |path: &Path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    Ok(Contents {
        certificates: read(certificates)?,
        key: read(key)?,
    })
}

/// The certificate of these contents, if connections can be taken with it.
fn usable(certificates: &Path, key: &Path, contents: &Contents) -> Result<CertifiedKey, String> {
    // The error is left out, because a key may be in the same file.
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(&contents.certificates)
            .collect::<Result<_, _>>()
            .map_err(|_| format!("{}: it is not PEM", certificates.display()))?;
    if chain.is_empty() {
        return Err(format!(
            "{}: there is no certificate in it",
            certificates.display()
        ));
    }
    // The error is left out, because it quotes a key that is on one line.
    let private = PrivateKeyDer::from_pem_slice(&contents.key)
        .map_err(|_| format!("{}: it is not a key in PEM", key.display()))?;
    CertifiedKey::from_der(chain, private, &ring::default_provider())
        .map_err(|error| format!("the certificate and the key do not belong together: {error}"))
}

impl Certificate {
    fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a certificate that is new. One that cannot be used is reported once, and the old one
    /// stays.
    async fn keep_fresh(&self, mut seen: Contents) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            match self.refresh(&mut seen) {
                Ok(true) => tracing::info!("a new certificate is used from now on"),
                Ok(false) => {}
                // The key may be replaced a moment after the certificate, so that this is not the
                // last word.
                Err(problem) => tracing::warn!(
                    problem,
                    "the new certificate cannot be used, and the old one stays"
                ),
            }
        }
    }

    fn refresh(&self, seen: &mut Contents) -> Result<bool, String> {
        // No mistake, because a file that is not there is one that is being replaced.
        let Ok(contents) = read(&self.certificates, &self.key) else {
            return Ok(false);
        };
        if contents == *seen {
            return Ok(false);
        }
        let certified = usable(&self.certificates, &self.key, &contents);
        *seen = contents;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(certified?);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_cannot_be_used_leaves_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let (certificates, key) = (
            folder.path().join("cert.pem"),
            folder.path().join("key.pem"),
        );
        let made = || {
            rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate")
        };
        let write = |certificate: &str, private: &str| {
            std::fs::write(&certificates, certificate).expect("a file");
            std::fs::write(&key, private).expect("a file");
        };
        let (first, second) = (made(), made());
        write(&first.cert.pem(), &first.signing_key.serialize_pem());
        let mut seen = read(&certificates, &key).expect("two files");
        let current = RwLock::new(Arc::new(
            usable(&certificates, &key, &seen).expect("a certificate"),
        ));
        let certificate = Certificate {
            certificates: certificates.clone(),
            key: key.clone(),
            current,
        };
        let used = |certificate: &Certificate| certificate.current().cert.first().cloned();
        assert!(!format!("{certificate:?}").contains(&first.signing_key.serialize_pem()));

        assert_eq!(certificate.refresh(&mut seen), Ok(false));
        write(&second.cert.pem(), &first.signing_key.serialize_pem());
        assert!(
            certificate
                .refresh(&mut seen)
                .expect_err("another key")
                .contains("do not belong together")
        );
        assert_eq!(
            (certificate.refresh(&mut seen), used(&certificate)),
            (Ok(false), Some(first.cert.der().clone()))
        );
        write("", "");
        assert!(
            certificate
                .refresh(&mut seen)
                .expect_err("nothing")
                .contains("there is no certificate in it")
        );
        let on_one_line = second.signing_key.serialize_pem().replace('\n', "");
        write(&second.cert.pem(), &on_one_line);
        assert_eq!(
            certificate.refresh(&mut seen),
            Err(format!("{}: it is not a key in PEM", key.display()))
        );
        std::fs::remove_file(&key).expect("a file");
        assert_eq!(
            (certificate.refresh(&mut seen), used(&certificate)),
            (Ok(false), Some(first.cert.der().clone()))
        );
        write(&second.cert.pem(), &second.signing_key.serialize_pem());
        assert_eq!(
            (certificate.refresh(&mut seen), used(&certificate)),
            (Ok(true), Some(second.cert.der().clone()))
        );
    }
}
