//! `aws_acmpca_certificate_authority`: a waiting time got its default.

use upstate::Resource;

/// An authority of the account's own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_acmpca_certificate_authority", version = 1)]
#[upgrade_from(
    0,
    model = CertificateAuthorityV0,
    convert(permanent_deletion_time_in_days, empty = null),
    default(permanent_deletion_time_in_days = 30)
)]
pub struct CertificateAuthority {
    #[attribute(computed)]
    pub id: Option<String>,
    pub permanent_deletion_time_in_days: Option<i64>,
}

/// The authority while empty text stood for no waiting time: releases of that age stored all values as text.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_acmpca_certificate_authority", version = 0)]
pub struct CertificateAuthorityV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub permanent_deletion_time_in_days: Option<String>,
}
