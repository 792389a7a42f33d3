//! The subject of each method of the protocols, by its name.

use crate::beside::Kind;

/// A type, or the provider.
pub(super) enum Subject {
    /// One type, whose name is the field with this number.
    Type(Kind, u32),
    /// The provider as a whole.
    Provider,
}

/// The subject of a method.
pub(super) fn subject(method: &str) -> Subject {
    match method {
        "ValidateResourceConfig"
        | "ValidateResourceTypeConfig"
        | "UpgradeResourceState"
        | "UpgradeResourceIdentity"
        | "ReadResource"
        | "PlanResourceChange"
        | "ApplyResourceChange"
        | "ImportResourceState"
        | "GenerateResourceConfig" => Subject::Type(Kind::Resource, 1),
        "MoveResourceState" => Subject::Type(Kind::Resource, 5),
        "ValidateDataResourceConfig" | "ValidateDataSourceConfig" | "ReadDataSource" => {
            Subject::Type(Kind::DataSource, 1)
        }
        "ValidateEphemeralResourceConfig"
        | "OpenEphemeralResource"
        | "RenewEphemeralResource"
        | "CloseEphemeralResource" => Subject::Type(Kind::EphemeralResource, 1),
        "ValidateListResourceConfig" | "ListResource" => Subject::Type(Kind::ListResource, 1),
        "ValidateActionConfig" | "PlanAction" | "InvokeAction" => Subject::Type(Kind::Action, 1),
        "CallFunction" => Subject::Type(Kind::Function, 1),
        _ => Subject::Provider,
    }
}
