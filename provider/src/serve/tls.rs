//! Mutual TLS with throw-away certificates, one of the host and one of ours.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::{self, CryptoProvider, aws_lc_rs};
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
    let provider = Arc::new(aws_lc_rs::default_provider());
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

/// Accepts one certificate and no other.
///
/// The host's certificate signs itself and calls itself an authority, which the usual verifier refuses of a client. There is nothing
/// to verify about it but that it is the one we were told of, and that the other side has its key; the signature, on curve P-521,
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
