//! Mutual TLS with throw-away certificates, one of the host and one of ours.

use std::fmt::Display;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::{self, CryptoProvider};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};

use super::crypto::{Key, provider};

/// A configuration that serves only who holds the key of the certificate `pem`, and our own certificate as the handshake says it.
pub(super) fn mutual(pem: &str) -> Result<(ServerConfig, String), String> {
    let host = CertificateDer::from_pem_slice(pem.as_bytes())
        .map_err(|error| format!("PLUGIN_CLIENT_CERT holds no certificate: {error}"))?
        .into_owned();
    let (certificate, key) = own_certificate()?;
    let encoded = STANDARD_NO_PAD.encode(&certificate);
    let provider = Arc::new(provider());
    let verifier = Arc::new(OnlyTheHost { certificate: host, provider: Arc::clone(&provider) });
    let unusable = |error: Error| format!("the provider can't encrypt: {error}");
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(CertifiedKey::new(vec![certificate], Arc::new(key)))));
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok((config, encoded))
}

/// A certificate for this process, signed by its own key.
fn own_certificate() -> Result<(CertificateDer<'static>, Key), String> {
    let unable = |error: &dyn Display| format!("the provider can't make a certificate: {error}");
    let key = Key::generate().map_err(|error| unable(&error))?;
    let mut parameters = rcgen::CertificateParams::new(["localhost".to_owned()]).map_err(|error| unable(&error))?;
    // One constant is enough, since nobody compares two of them.
    parameters.serial_number = Some(1_u64.into());
    let certificate = parameters.self_signed(&key).map_err(|error| unable(&error))?;
    Ok((certificate.der().clone(), key))
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
    use std::io;

    use p521::ecdsa::signature::Signer as _;
    use p521::pkcs8::DecodePrivateKey as _;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;
    use tokio_rustls::rustls::sign::{Signer, SigningKey};
    use tokio_rustls::rustls::{ClientConfig, NamedGroup, RootCertStore, SignatureAlgorithm, SupportedProtocolVersion, version};
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    use super::*;

    // Certificates as Terraform makes them: curve P-521, an authority, signed by themselves.
    const HOST: &str = include_str!("testdata/host.pem");
    const HOST_KEY: &str = include_str!("testdata/host.key.pem");
    const OTHER: &str = include_str!("testdata/other.pem");
    const OTHER_KEY: &str = include_str!("testdata/other.key.pem");

    /// More than one record holds, so that several are encrypted in each direction.
    const LENGTH: usize = 100_000;

    /// A client's key on curve P-521, which *ring* does not know.
    #[derive(Debug, Clone)]
    struct ClientKey(p521::ecdsa::SigningKey);

    impl SigningKey for ClientKey {
        fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
            offered.contains(&self.scheme()).then(|| Box::new(self.clone()) as Box<dyn Signer>)
        }

        fn algorithm(&self) -> SignatureAlgorithm {
            SignatureAlgorithm::ECDSA
        }
    }

    impl Signer for ClientKey {
        fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
            let signature: p521::ecdsa::DerSignature = self.0.sign(message);
            Ok(signature.as_bytes().to_vec())
        }

        fn scheme(&self) -> SignatureScheme {
            SignatureScheme::ECDSA_NISTP521_SHA512
        }
    }

    /// Connects a client of *ring* to a server that expects `HOST`: true if a message reaches the server, and comes back from there.
    async fn connects(shown: Option<(&str, &str)>, tls: &'static SupportedProtocolVersion, group: NamedGroup) -> bool {
        let (config, certificate) = mutual(HOST).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let mut roots = RootCertStore::empty();
        roots.add(STANDARD_NO_PAD.decode(certificate).unwrap().into()).unwrap();
        let mut provider = ring::default_provider();
        // The first group is the one that the client has a key for in its first message.
        provider.kx_groups.sort_by_key(|other| other.name() != group);
        let client = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[tls])
            .unwrap()
            .with_root_certificates(roots);
        let mut client = match shown {
            Some((certificate, key)) => {
                let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                let key = p521::SecretKey::from_pkcs8_der(key.secret_der()).unwrap();
                // Nothing on this side checks that they belong together.
                let shown = CertifiedKey::new(vec![certificate], Arc::new(ClientKey(key.into())));
                client.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(shown)))
            }
            None => client.with_no_client_auth(),
        };
        client.alpn_protocols = vec![b"h2".to_vec()];
        let server = tokio::spawn(async move {
            let mut stream = TlsAcceptor::from(Arc::new(config)).accept(ours).await?;
            let mut message = vec![0; LENGTH];
            stream.read_exact(&mut message).await?;
            stream.write_all(&message).await?;
            stream.shutdown().await
        });
        let talk = async {
            let mut stream = TlsConnector::from(Arc::new(client)).connect("localhost".try_into().unwrap(), theirs).await?;
            let message: Vec<u8> = (0..LENGTH).map(|index| u8::try_from(index % 251).unwrap()).collect();
            stream.write_all(&message).await?;
            stream.flush().await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            Ok::<_, io::Error>(answer == message)
        };
        let received = talk.await.unwrap_or(false);
        let ended = server.await.unwrap().is_ok();
        assert_eq!(received, ended, "both sides agree");
        received
    }

    #[tokio::test]
    async fn only_the_holder_of_the_key_of_the_announced_certificate_is_served() {
        for group in [NamedGroup::secp256r1, NamedGroup::X25519] {
            let tls = &version::TLS13;
            assert!(connects(Some((HOST, HOST_KEY)), tls, group).await);
            assert!(!connects(Some((OTHER, OTHER_KEY)), tls, group).await, "another certificate");
            assert!(!connects(Some((HOST, OTHER_KEY)), tls, group).await, "the certificate without its key");
            assert!(!connects(None, tls, group).await, "no certificate");
        }
    }

    #[tokio::test]
    async fn a_client_of_tls_1_2_is_not_served() {
        assert!(!connects(Some((HOST, HOST_KEY)), &version::TLS12, NamedGroup::secp256r1).await);
    }

    #[test]
    fn a_variable_without_a_certificate_is_refused() {
        assert!(mutual("hello").unwrap_err().starts_with("PLUGIN_CLIENT_CERT holds no certificate:"));
    }
}
