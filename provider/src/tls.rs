//! Mutual TLS with throw-away certificates, one of the client and one of the server.

mod crypto;

use std::fmt::{self, Display};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig,
    SignatureScheme,
};

use self::crypto::{Key, provider};

/// A configuration that serves only who holds the key of the certificate `pem`, and our own
/// certificate as the handshake says it.
pub(crate) fn mutual(pem: &str) -> Result<(ServerConfig, String), String> {
    let host = CertificateDer::from_pem_slice(pem.as_bytes())
        .map_err(|error| format!("PLUGIN_CLIENT_CERT holds no certificate: {error}"))?
        .into_owned();
    let (certificate, key) = own_certificate()?;
    let encoded = STANDARD_NO_PAD.encode(&certificate);
    let provider = Arc::new(provider());
    let verifier = OnlyThis::new(host, &provider);
    let unusable = |error: Error| format!("the provider can't encrypt: {error}");
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(CertifiedKey::new(
            vec![certificate],
            Arc::new(key),
        ))));
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok((config, encoded))
}

/// The client of a server that this process starts: its certificate is announced before the server
/// has one.
pub(crate) struct Client {
    certificate: CertificateDer<'static>,
    key: Arc<Key>,
}

impl Client {
    pub(crate) fn new() -> Result<Self, String> {
        let (certificate, key) = own_certificate()?;
        Ok(Self {
            certificate,
            key: Arc::new(key),
        })
    }

    /// The certificate in the format of `PLUGIN_CLIENT_CERT`.
    pub(crate) fn pem(&self) -> String {
        let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
        for line in STANDARD.encode(&self.certificate).as_bytes().chunks(64) {
            pem.push_str(&String::from_utf8_lossy(line));
            pem.push('\n');
        }
        pem + "-----END CERTIFICATE-----\n"
    }

    /// A configuration that trusts only the holder of the key of a certificate, as the server's
    /// handshake has it.
    pub(crate) fn trusting(&self, certificate: &str) -> Result<ClientConfig, String> {
        let certificate = STANDARD_NO_PAD
            .decode(certificate.trim_end_matches('='))
            .map_err(|error| format!("its certificate is not base64: {error}"))?;
        let provider = Arc::new(provider());
        let verifier = OnlyThis::new(certificate.into(), &provider);
        let shown = CertifiedKey::new(vec![self.certificate.clone()], self.key.clone());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("this provider can't encrypt: {error}"))?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(config)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

/// A certificate for this process, signed by its own key.
fn own_certificate() -> Result<(CertificateDer<'static>, Key), String> {
    let unable = |error: &dyn Display| format!("the provider can't make a certificate: {error}");
    let key = Key::generate().map_err(|error| unable(&error))?;
    let mut parameters =
        rcgen::CertificateParams::new(["localhost".to_owned()]).map_err(|error| unable(&error))?;
    // One constant is enough, since nobody compares two of them.
    parameters.serial_number = Some(1_u64.into());
    let certificate = parameters
        .self_signed(&key)
        .map_err(|error| unable(&error))?;
    Ok((certificate.der().clone(), key))
}

/// Accepts one certificate and no other.
///
/// A certificate of Terraform or of a plugin in Go signs itself and calls itself an authority,
/// which the usual verifiers refuse. There is nothing to verify about it but that it is the
/// announced one, and that the other side has its key; the signature, on curve P-521, proves that.
#[derive(Debug)]
struct OnlyThis {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl OnlyThis {
    fn new(certificate: CertificateDer<'static>, provider: &Arc<CryptoProvider>) -> Arc<Self> {
        Arc::new(Self {
            certificate,
            provider: Arc::clone(provider),
        })
    }

    fn expects(&self, shown: &CertificateDer<'_>) -> Result<(), Error> {
        if *shown == self.certificate {
            Ok(())
        } else {
            Err(Error::InvalidCertificate(
                CertificateError::ApplicationVerificationFailure,
            ))
        }
    }
}

/// Adds the checks that are the same for both sides.
macro_rules! signatures {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            verify_tls12_signature(
                message,
                certificate,
                signature,
                &self.provider.signature_verification_algorithms,
            )
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            verify_tls13_signature(
                message,
                certificate,
                signature,
                &self.provider.signature_verification_algorithms,
            )
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.provider
                .signature_verification_algorithms
                .supported_schemes()
        }
    };
}

impl ClientCertVerifier for OnlyThis {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.expects(end_entity)
            .map(|()| ClientCertVerified::assertion())
    }

    signatures!();
}

impl ServerCertVerifier for OnlyThis {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.expects(end_entity)
            .map(|()| ServerCertVerified::assertion())
    }

    signatures!();
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
    use tokio_rustls::rustls::{
        ClientConfig, NamedGroup, RootCertStore, SignatureAlgorithm, SupportedProtocolVersion,
        version,
    };
    use tokio_rustls::{TlsAcceptor, TlsConnector};

    use super::*;

    // Certificates as Terraform makes them: curve P-521, an authority, signed by themselves.
    const HOST: &str = include_str!("serve/testdata/host.pem");
    const HOST_KEY: &str = include_str!("serve/testdata/host.key.pem");
    const OTHER: &str = include_str!("serve/testdata/other.pem");
    const OTHER_KEY: &str = include_str!("serve/testdata/other.key.pem");

    /// More than one record holds, so that several are encrypted in each direction.
    const LENGTH: usize = 100_000;

    /// A client's key on curve P-521, which *ring* does not know.
    #[derive(Debug, Clone)]
    struct ClientKey(p521::ecdsa::SigningKey);

    impl SigningKey for ClientKey {
        fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
            offered
                .contains(&self.scheme())
                .then(|| Box::new(self.clone()) as Box<dyn Signer>)
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

    /// Connects a client of *ring* to a server that expects `HOST`: true if a message reaches the
    /// server, and comes back from there.
    async fn connects(
        shown: Option<(&str, &str)>,
        tls: &'static SupportedProtocolVersion,
        group: NamedGroup,
    ) -> bool {
        let (config, certificate) = mutual(HOST).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let mut roots = RootCertStore::empty();
        roots
            .add(STANDARD_NO_PAD.decode(certificate).unwrap().into())
            .unwrap();
        let mut provider = ring::default_provider();
        // The first group is the one that the client has a key for in its first message.
        provider
            .kx_groups
            .sort_by_key(|other| other.name() != group);
        let client = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[tls])
            .unwrap()
            .with_root_certificates(roots);
        let mut client = match shown {
            Some((certificate, key)) => {
                let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                let key = p521::SecretKey::from_pkcs8_der(key.secret_der()).unwrap();
                // `CertifiedKey::new` does not check that the two belong together, so only the
                // server can refuse a wrong pair.
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
            let mut stream = TlsConnector::from(Arc::new(client))
                .connect("localhost".try_into().unwrap(), theirs)
                .await?;
            let message: Vec<u8> = (0..LENGTH)
                .map(|index| u8::try_from(index % 251).unwrap())
                .collect();
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
            assert!(
                !connects(Some((OTHER, OTHER_KEY)), tls, group).await,
                "another certificate"
            );
            assert!(
                !connects(Some((HOST, OTHER_KEY)), tls, group).await,
                "the certificate without its key"
            );
            assert!(!connects(None, tls, group).await, "no certificate");
        }
    }

    #[tokio::test]
    async fn a_client_of_tls_1_2_is_not_served() {
        assert!(
            !connects(
                Some((HOST, HOST_KEY)),
                &version::TLS12,
                NamedGroup::secp256r1
            )
            .await
        );
    }

    /// Connects our client to our server: true if each takes the certificate that the other one
    /// announced.
    async fn trusts(expected: Option<&str>) -> bool {
        let client = Client::new().unwrap();
        let (config, certificate) = mutual(&client.pem()).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = tokio::spawn(async move {
            let mut stream = TlsAcceptor::from(Arc::new(config)).accept(ours).await?;
            stream.write_all(b"hello").await?;
            stream.shutdown().await
        });
        let config = Arc::new(client.trusting(expected.unwrap_or(&certificate)).unwrap());
        let talk = async {
            let mut stream = TlsConnector::from(config)
                .connect("localhost".try_into().unwrap(), theirs)
                .await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            Ok::<_, io::Error>(answer == b"hello")
        };
        let received = talk.await.unwrap_or(false);
        assert_eq!(received, server.await.unwrap().is_ok(), "both sides agree");
        received
    }

    #[tokio::test]
    async fn a_client_trusts_the_announced_server_and_no_other() {
        assert!(trusts(None).await);
        let other = CertificateDer::from_pem_slice(OTHER.as_bytes()).unwrap();
        assert!(!trusts(Some(&STANDARD_NO_PAD.encode(other))).await);
        assert!(
            Client::new()
                .unwrap()
                .trusting("?")
                .unwrap_err()
                .starts_with("its certificate is not base64:")
        );
    }

    #[test]
    fn a_variable_without_a_certificate_is_refused() {
        assert!(
            mutual("hello")
                .unwrap_err()
                .starts_with("PLUGIN_CLIENT_CERT holds no certificate:")
        );
    }
}
