//! Mutual TLS with throw-away certificates, one of the host and one of ours.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::{self, CryptoProvider, aws_lc_rs, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};

/// A configuration that serves only who holds the key of the certificate `pem`, and our own certificate as the handshake says it.
pub(super) fn mutual(pem: &str) -> Result<(ServerConfig, String), String> {
    let host = CertificateDer::from_pem_slice(pem.as_bytes())
        .map_err(|error| format!("PLUGIN_CLIENT_CERT holds no certificate: {error}"))?
        .into_owned();
    let ours = rcgen::generate_simple_self_signed(["localhost".to_owned()])
        .map_err(|error| format!("the provider can't make a certificate: {error}"))?;
    let certificate = ours.cert.der().clone();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(ours.signing_key.serialize_der()));
    let provider = Arc::new(crypto_provider());
    let verifier = Arc::new(OnlyTheHost { certificate: host, provider: Arc::clone(&provider) });
    let unusable = |error: Error| format!("the provider can't encrypt: {error}");
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate.clone()], key)
        .map_err(unusable)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok((config, STANDARD_NO_PAD.encode(&certificate)))
}

/// Cryptography by `ring`, and signatures of clients checked by AWS-LC.
///
/// Terraform signs on curve P-521, which `ring` does not know. AWS-LC alone would do, but spends 56 ms on collecting entropy before its first
/// random number, in each of the three to five processes that one plan starts; to check a signature it needs none.
fn crypto_provider() -> CryptoProvider {
    let verifying = aws_lc_rs::default_provider().signature_verification_algorithms;
    CryptoProvider { signature_verification_algorithms: verifying, ..ring::default_provider() }
}

/// Accepts one certificate and no other.
///
/// The host's certificate signs itself and calls itself an authority, which the usual verifier refuses of a client. There is nothing
/// to verify about it but that it is the announced one, and that the other side has its key; the signature, on curve P-521,
/// proves that.
#[derive(Debug)]
struct OnlyTheHost {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for OnlyTheHost {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if *end_entity == self.certificate {
            Ok(ClientCertVerified::assertion())
        } else {
            Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        crypto::verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        crypto::verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, version};
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    use super::*;

    // Certificates as Terraform makes them: curve P-521, an authority, signed by themselves.
    const HOST: &str = include_str!("testdata/host.pem");
    const HOST_KEY: &str = include_str!("testdata/host.key.pem");
    const OTHER: &str = include_str!("testdata/other.pem");
    const OTHER_KEY: &str = include_str!("testdata/other.key.pem");

    /// Connects to a server that expects `HOST`, showing this certificate and key; says whether a word came through.
    async fn connects(shown: Option<(&str, &str)>, tls: &'static SupportedProtocolVersion) -> bool {
        let (config, certificate) = mutual(HOST).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let mut roots = RootCertStore::empty();
        roots.add(STANDARD_NO_PAD.decode(certificate).unwrap().into()).unwrap();
        let client = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(&[tls])
            .unwrap()
            .with_root_certificates(roots);
        let mut client = match shown {
            Some((certificate, key)) => {
                let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                // Nothing on this side checks that they belong together.
                let shown = CertifiedKey::new(vec![certificate], aws_lc_rs::sign::any_supported_type(&key).unwrap());
                client.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(shown)))
            }
            None => client.with_no_client_auth(),
        };
        client.alpn_protocols = vec![b"h2".to_vec()];
        let server = tokio::spawn(async move {
            let mut stream = TlsAcceptor::from(Arc::new(config)).accept(ours).await?;
            stream.write_all(b"ahoy").await?;
            stream.shutdown().await
        });
        let mut word = String::new();
        let heard = match TlsConnector::from(Arc::new(client)).connect("localhost".try_into().unwrap(), theirs).await {
            Ok(mut stream) => stream.read_to_string(&mut word).await.is_ok() && word == "ahoy",
            Err(_) => false,
        };
        let sent = server.await.unwrap().is_ok();
        assert_eq!(heard, sent, "both sides agree");
        heard
    }

    #[tokio::test]
    async fn only_who_holds_the_key_of_the_announced_certificate_is_served() {
        for tls in [&version::TLS13, &version::TLS12] {
            assert!(connects(Some((HOST, HOST_KEY)), tls).await);
            assert!(!connects(Some((OTHER, OTHER_KEY)), tls).await, "another certificate");
            assert!(!connects(Some((HOST, OTHER_KEY)), tls).await, "the certificate without its key");
            assert!(!connects(None, tls).await, "no certificate");
        }
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        assert!(mutual("hello").unwrap_err().starts_with("PLUGIN_CLIENT_CERT holds no certificate:"));
    }
}
