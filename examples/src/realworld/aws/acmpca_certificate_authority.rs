//! `aws_acmpca_certificate_authority`: a waiting time got its default.

use upstate::Resource;

/// An authority of the account's own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_acmpca_certificate_authority", version = 1)]
#[upgrade_from(0 => 1,
    convert(permanent_deletion_time_in_days: Option<String>, empty = null),
    default(permanent_deletion_time_in_days = 30),
)]
pub struct CertificateAuthority {
    #[attribute(computed)]
    pub id: Option<String>,
    pub permanent_deletion_time_in_days: Option<i64>,
}
