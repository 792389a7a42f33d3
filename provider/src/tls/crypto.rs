//! The cryptography of one connection: the primitives of `RustCrypto` behind the interfaces of
//! rustls.
//!
//! Of TLS 1.3 it has what every implementation must have (RFC 8446, 9.1): AES-128-GCM with SHA-256,
//! and key exchange and signatures on curve P-256; in addition the check of signatures on P-521,
//! because Terraform's client certificate signs there. Nothing else connects here: both
//! certificates are made for this process, and thrown away with it.

use ::hmac::Mac as _;
use aes_gcm::{AeadInOut as _, KeyInit as _, aead};
use ecdsa::der;
use ecdsa::signature::{Signer as _, Verifier as _};
use p256::NistP256;
use p256::elliptic_curve::Generate as _;
use p521::NistP521;
use sha2::Digest as _;
use tokio_rustls::rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter,
    Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
use tokio_rustls::rustls::crypto::tls13::HkdfUsingHmac;
use tokio_rustls::rustls::crypto::{
    ActiveKeyExchange, CipherSuiteCommon, CryptoProvider, GetRandomFailed, KeyProvider,
    SecureRandom, SharedSecret, SupportedKxGroup, WebPkiSupportedAlgorithms, hash, hmac,
};
use tokio_rustls::rustls::pki_types::{
    AlgorithmIdentifier, InvalidSignature, PrivateKeyDer, SignatureVerificationAlgorithm, alg_id,
};
use tokio_rustls::rustls::sign::{Signer, SigningKey};
use tokio_rustls::rustls::{
    CipherSuite, ConnectionTrafficSecrets, ContentType, Error, NamedGroup, PeerMisbehaved,
    ProtocolVersion, SignatureAlgorithm, SignatureScheme, SupportedCipherSuite, Tls13CipherSuite,
};

pub(super) fn provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: vec![SupportedCipherSuite::Tls13(&AES_128_GCM_SHA256)],
        kx_groups: vec![&P256],
        signature_verification_algorithms: SIGNATURES,
        secure_random: &System,
        key_provider: &System,
    }
}

static AES_128_GCM_SHA256: Tls13CipherSuite = Tls13CipherSuite {
    common: CipherSuiteCommon {
        suite: CipherSuite::TLS13_AES_128_GCM_SHA256,
        hash_provider: &Sha256,
        // RFC 8446, 5.5: 2^24.5 full records; rustls changes the key before.
        confidentiality_limit: 1 << 24,
    },
    hkdf_provider: &HkdfUsingHmac(&Sha256),
    aead_alg: &Aes128Gcm,
    quic: None,
};

/// The random numbers of the operating system.
#[derive(Debug)]
struct System;

impl SecureRandom for System {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        getrandom::fill(bytes).map_err(|_| GetRandomFailed)
    }
}

impl KeyProvider for System {
    /// Refuses every key: the only one is made in this process, and never encoded.
    fn load_private_key(
        &self,
        _key: PrivateKeyDer<'static>,
    ) -> Result<std::sync::Arc<dyn SigningKey>, Error> {
        Err(Error::General("private keys are not read".to_owned()))
    }
}

const SHA256_LEN: usize = 32;

const TAG_LEN: usize = 16;

/// SHA-256, alone and keyed.
struct Sha256;

impl hash::Hash for Sha256 {
    fn start(&self) -> Box<dyn hash::Context> {
        Box::new(Hashing(sha2::Sha256::new()))
    }

    fn hash(&self, data: &[u8]) -> hash::Output {
        hash::Output::new(&sha2::Sha256::digest(data))
    }

    fn output_len(&self) -> usize {
        SHA256_LEN
    }

    fn algorithm(&self) -> hash::HashAlgorithm {
        hash::HashAlgorithm::SHA256
    }
}

struct Hashing(sha2::Sha256);

impl hash::Context for Hashing {
    fn fork_finish(&self) -> hash::Output {
        hash::Output::new(&self.0.clone().finalize())
    }

    fn fork(&self) -> Box<dyn hash::Context> {
        Box::new(Self(self.0.clone()))
    }

    fn finish(self: Box<Self>) -> hash::Output {
        hash::Output::new(&self.0.finalize())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl hmac::Hmac for Sha256 {
    #[expect(clippy::expect_used, reason = "a key of HMAC may have any length")]
    fn with_key(&self, key: &[u8]) -> Box<dyn hmac::Key> {
        Box::new(Keyed(
            ::hmac::Hmac::new_from_slice(key).expect("a key of any length"),
        ))
    }

    fn hash_output_len(&self) -> usize {
        SHA256_LEN
    }
}

struct Keyed(::hmac::Hmac<sha2::Sha256>);

impl hmac::Key for Keyed {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> hmac::Tag {
        let mut keyed = self.0.clone();
        keyed.update(first);
        for part in middle {
            keyed.update(part);
        }
        keyed.update(last);
        hmac::Tag::new(&keyed.finalize().into_bytes())
    }

    fn tag_len(&self) -> usize {
        SHA256_LEN
    }
}

/// The encryption of records.
struct Aes128Gcm;

impl Aes128Gcm {
    #[expect(
        clippy::expect_used,
        reason = "rustls derives as many bytes as `key_len` says"
    )]
    fn cipher(key: &AeadKey) -> aes_gcm::Aes128Gcm {
        aes_gcm::Aes128Gcm::new_from_slice(key.as_ref()).expect("a key of `key_len`")
    }
}

impl Tls13AeadAlgorithm for Aes128Gcm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records {
            cipher: Self::cipher(&key),
            iv,
        })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records {
            cipher: Self::cipher(&key),
            iv,
        })
    }

    fn key_len(&self) -> usize {
        16
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(ConnectionTrafficSecrets::Aes128Gcm { key, iv })
    }
}

/// The records of one direction.
struct Records {
    cipher: aes_gcm::Aes128Gcm,
    iv: Iv,
}

impl Records {
    fn nonce(&self, sequence: u64) -> aead::Nonce<aes_gcm::Aes128Gcm> {
        Nonce::new(&self.iv, sequence).0.into()
    }
}

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let length = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(length);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&message.typ.to_array());
        let tag = self
            .cipher
            .encrypt_inout_detached(
                &self.nonce(sequence),
                &make_tls13_aad(length),
                payload.as_mut().into(),
            )
            .map_err(|_| Error::EncryptError)?;
        payload.extend_from_slice(&tag);
        // RFC 8446, 5.2: every encrypted record says that it is data, of TLS 1.2.
        Ok(OutboundOpaqueMessage::new(
            ContentType::ApplicationData,
            ProtocolVersion::TLSv1_2,
            payload,
        ))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG_LEN
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut message.payload;
        let data = make_tls13_aad(payload.len());
        let length = payload
            .len()
            .checked_sub(TAG_LEN)
            .ok_or(Error::DecryptError)?;
        let (text, tag) = payload
            .split_at_mut_checked(length)
            .ok_or(Error::DecryptError)?;
        let tag =
            aead::Tag::<aes_gcm::Aes128Gcm>::try_from(&*tag).map_err(|_| Error::DecryptError)?;
        self.cipher
            .decrypt_inout_detached(&self.nonce(sequence), &data, text.into(), &tag)
            .map_err(|_| Error::DecryptError)?;
        payload.truncate(length);
        message.into_tls13_unpadded_message()
    }
}

/// Key exchange on curve P-256.
#[derive(Debug)]
struct P256;

impl SupportedKxGroup for P256 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let secret = p256::ecdh::EphemeralSecret::try_generate().map_err(|_| GetRandomFailed)?;
        let public = p256::Sec1Point::from(secret.public_key());
        Ok(Box::new(Exchange { secret, public }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

struct Exchange {
    secret: p256::ecdh::EphemeralSecret,
    public: p256::Sec1Point,
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        // RFC 8446, 4.2.8.2: uncompressed points alone.
        let uncompressed = peer.first() == Some(&4);
        let peer = p256::PublicKey::from_sec1_bytes(peer)
            .ok()
            .filter(|_| uncompressed);
        let peer = peer.ok_or(PeerMisbehaved::InvalidKeyShare)?;
        Ok(SharedSecret::from(
            self.secret
                .diffie_hellman(&peer)
                .raw_secret_bytes()
                .as_slice(),
        ))
    }

    fn pub_key(&self) -> &[u8] {
        self.public.as_bytes()
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

/// A key that signs on curve P-256.
#[derive(Debug, Clone)]
pub(super) struct Key {
    signing: p256::ecdsa::SigningKey,
    public: p256::Sec1Point,
}

impl Key {
    pub(super) fn generate() -> Result<Self, getrandom::Error> {
        let signing = p256::ecdsa::SigningKey::try_generate()?;
        let public = signing.verifying_key().to_sec1_point(false);
        Ok(Self { signing, public })
    }

    fn signature(&self, message: &[u8]) -> Result<Vec<u8>, ecdsa::Error> {
        let signature: der::Signature<NistP256> = self.signing.try_sign(message)?;
        Ok(signature.as_bytes().to_vec())
    }
}

impl rcgen::PublicKeyData for Key {
    fn der_bytes(&self) -> &[u8] {
        self.public.as_bytes()
    }

    fn algorithm(&self) -> &'static rcgen::SignatureAlgorithm {
        &rcgen::PKCS_ECDSA_P256_SHA256
    }
}

impl rcgen::SigningKey for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, rcgen::Error> {
        self.signature(message)
            .map_err(|_| rcgen::Error::RemoteKeyError)
    }
}

impl SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        offered
            .contains(&self.scheme())
            .then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.signature(message)
            .map_err(|error| Error::General(error.to_string()))
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP256_SHA256
    }
}

/// The signatures that a client may show: the one that Terraform makes, and the one that is made
/// here.
const SIGNATURES: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[&ECDSA_P521_SHA512, &ECDSA_P256_SHA256],
    mapping: &[
        (
            SignatureScheme::ECDSA_NISTP521_SHA512,
            &[&ECDSA_P521_SHA512],
        ),
        (
            SignatureScheme::ECDSA_NISTP256_SHA256,
            &[&ECDSA_P256_SHA256],
        ),
    ],
};

static ECDSA_P521_SHA512: Ecdsa = Ecdsa {
    curve: alg_id::ECDSA_P521,
    algorithm: alg_id::ECDSA_SHA512,
    verify: |key, message, signature| {
        let signature = der::Signature::<NistP521>::from_bytes(signature)?;
        p521::ecdsa::VerifyingKey::from_sec1_bytes(key)?.verify(message, &signature)
    },
};

static ECDSA_P256_SHA256: Ecdsa = Ecdsa {
    curve: alg_id::ECDSA_P256,
    algorithm: alg_id::ECDSA_SHA256,
    verify: |key, message, signature| {
        let signature = der::Signature::<NistP256>::from_bytes(signature)?;
        p256::ecdsa::VerifyingKey::from_sec1_bytes(key)?.verify(message, &signature)
    },
};

/// Takes the public key, the message and the signature.
type Verify = fn(&[u8], &[u8], &[u8]) -> Result<(), ecdsa::Error>;

/// The check of a signature on one curve.
#[derive(Debug)]
struct Ecdsa {
    curve: AlgorithmIdentifier,
    algorithm: AlgorithmIdentifier,
    verify: Verify,
}

impl SignatureVerificationAlgorithm for Ecdsa {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        (self.verify)(public_key, message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.curve
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.algorithm
    }
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::crypto::cipher::OutboundChunks;
    use tokio_rustls::rustls::crypto::hash::Hash as _;
    use tokio_rustls::rustls::crypto::hmac::Hmac as _;
    use tokio_rustls::rustls::crypto::ring;

    use super::*;

    /// The other side of an exchange, by *ring*.
    fn other() -> Box<dyn ActiveKeyExchange> {
        ring::kx_group::SECP256R1.start().unwrap()
    }

    #[test]
    fn both_sides_of_an_exchange_have_one_secret() {
        let (ours, theirs) = (P256.start().unwrap(), other());
        let (our_key, their_key) = (ours.pub_key().to_vec(), theirs.pub_key().to_vec());
        let secret = ours.complete(&their_key).unwrap();
        assert_eq!(
            secret.secret_bytes(),
            theirs.complete(&our_key).unwrap().secret_bytes()
        );
    }

    #[test]
    fn a_key_share_that_is_not_an_uncompressed_point_of_the_curve_is_refused() {
        let point = other().pub_key().to_vec();
        let mut compressed = vec![2 + point[64] % 2];
        compressed.extend_from_slice(&point[1..33]);
        let mut beside = point.clone();
        beside[64] ^= 1;
        let short = point[..64].to_vec();
        for refused in [compressed, beside, short, vec![0], vec![]] {
            let error = P256
                .start()
                .unwrap()
                .complete(&refused)
                .map(|_| ())
                .unwrap_err();
            assert_eq!(error, PeerMisbehaved::InvalidKeyShare.into(), "{refused:?}");
        }
        assert!(P256.start().unwrap().complete(&point).is_ok());
    }

    #[test]
    fn hashes_are_those_of_another_implementation() {
        let theirs = ring::cipher_suite::TLS13_AES_128_GCM_SHA256
            .tls13()
            .unwrap()
            .common
            .hash_provider;
        let mut hashing = Sha256.start();
        hashing.update(b"ahoy");
        let early = hashing.fork_finish();
        let mut forked = hashing.fork();
        forked.update(b", sailor");
        assert_eq!(early.as_ref(), theirs.hash(b"ahoy").as_ref());
        assert_eq!(hashing.finish().as_ref(), Sha256.hash(b"ahoy").as_ref());
        assert_eq!(
            forked.finish().as_ref(),
            theirs.hash(b"ahoy, sailor").as_ref()
        );
    }

    #[test]
    fn a_keyed_hash_is_that_of_rfc_4231() {
        // Cases 2 and 6: a short key, and one that is longer than a block.
        let cases: [(&[u8], &[u8], &str); 2] = [
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, message, expected) in cases {
            let (first, last) = message.split_at(7);
            let tag = Sha256
                .with_key(key)
                .sign_concat(first, &[&last[..3], b""], &last[3..]);
            assert_eq!(
                tag.as_ref()
                    .iter()
                    .fold(String::new(), |digits, byte| digits
                        + &format!("{byte:02x}")),
                expected
            );
        }
    }

    #[test]
    fn a_record_that_was_changed_moved_or_cut_off_is_refused() {
        let mut records = Records {
            cipher: aes_gcm::Aes128Gcm::new(&[7; 16].into()),
            iv: Iv::from([9; 12]),
        };
        let text: &[&[u8]] = &[b"ahoy, ", b"sailor"];
        let plain = OutboundPlainMessage {
            typ: ContentType::ApplicationData,
            version: ProtocolVersion::TLSv1_2,
            payload: OutboundChunks::new(text),
        };
        let record = records.encrypt(plain, 3).unwrap().encode();
        let (header, record) = record.split_at(5);
        assert_eq!(
            header,
            make_tls13_aad(record.len()),
            "the authenticated data is the record's header"
        );
        let mut decrypt = |mut bytes: Vec<u8>, sequence| {
            let message = InboundOpaqueMessage::new(
                ContentType::ApplicationData,
                ProtocolVersion::TLSv1_2,
                &mut bytes,
            );
            records
                .decrypt(message, sequence)
                .map(|message| (message.typ, message.payload.to_vec()))
        };
        assert_eq!(
            decrypt(record.to_vec(), 3),
            Ok((ContentType::ApplicationData, b"ahoy, sailor".to_vec()))
        );
        assert_eq!(decrypt(record.to_vec(), 4), Err(Error::DecryptError));
        for index in 0..record.len() {
            let mut changed = record.to_vec();
            changed[index] ^= 1;
            assert_eq!(
                decrypt(changed, 3),
                Err(Error::DecryptError),
                "byte {index}"
            );
            assert_eq!(
                decrypt(record[..index].to_vec(), 3),
                Err(Error::DecryptError),
                "{index} bytes"
            );
        }
    }

    #[test]
    fn a_signature_counts_for_its_message_and_key_alone() {
        let (key, other) = (Key::generate().unwrap(), Key::generate().unwrap());
        let signature = key.signature(b"ahoy").unwrap();
        let verify = |key: &Key, message: &[u8], signature: &[u8]| {
            ECDSA_P256_SHA256
                .verify_signature(key.public.as_bytes(), message, signature)
                .is_ok()
        };
        assert!(verify(&key, b"ahoy", &signature));
        assert!(!verify(&other, b"ahoy", &signature));
        assert!(!verify(&key, b"ahoi", &signature));
        for index in 0..signature.len() {
            let mut changed = signature.clone();
            changed[index] ^= 1;
            assert!(!verify(&key, b"ahoy", &changed), "byte {index}");
        }
        assert!(!verify(&key, b"ahoy", &[]));
        assert!(!verify(&key, b"ahoy", &signature[..signature.len() - 1]));
        let theirs = ring::default_provider().signature_verification_algorithms;
        let theirs = theirs.all.iter().find(|it| {
            it.public_key_alg_id() == alg_id::ECDSA_P256
                && it.signature_alg_id() == alg_id::ECDSA_SHA256
        });
        assert!(
            theirs
                .unwrap()
                .verify_signature(key.public.as_bytes(), b"ahoy", &signature)
                .is_ok()
        );
    }
}
