//! The diagnostics that the provider itself makes, each in one place: what is wrong, where, and
//! what to do.

use std::fmt;
use std::path::Path;

use upstate::__internal::problem_in;
use upstate::codec::DecodeErrorKind;
use upstate::value::ConformError;
use upstate::{AttributePath, DecodeError, Diagnostic, DiagnosticCode, Diagnostics, EncodeError};

/// A mistake of the provider's authors, which nobody else can mend.
pub(crate) fn mistake(summary: &str, detail: impl Into<String>) -> Diagnostic {
    of_authors(Diagnostic::error(summary, detail))
}

fn of_authors(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .coded(DiagnosticCode::ProviderBug)
        .with_remedy("This is a mistake in the provider: report it to the authors.")
}

/// A request that Terraform never makes.
fn misuse(summary: &str, detail: impl Into<String>) -> Diagnostic {
    Diagnostic::error(summary, detail)
        .coded(DiagnosticCode::CallerBug)
        .with_remedy("This is a bug in the calling program: report it to its authors.")
}

/// The provider has nothing of that name: `kind` is such as "resource type".
pub(crate) fn unknown_type(summary: &str, kind: &str, name: &str) -> Diagnostic {
    Diagnostic::error(
        summary,
        format!("The provider has no {kind} named {name:?}."),
    )
    .coded(DiagnosticCode::UnknownType)
    .with_remedy("Use a release of the provider that has it.")
}

/// A request for an object before the provider has its client.
pub(crate) fn not_configured() -> Diagnostic {
    misuse(
        "Provider Not Configured",
        "Terraform asked for a resource before it configured the provider.",
    )
}

/// A state of a version below 0.
pub(crate) fn invalid_version(type_name: &str, version: i64) -> Diagnostic {
    let detail = format!(
        "The state of {type_name} is of schema version {version}, and versions begin at 0."
    );
    Diagnostic::error("Invalid Schema Version", detail)
        .coded(DiagnosticCode::CallerBug)
        .with_remedy(
            "If nobody edited it, this is a bug in the calling program: report it to its authors.",
        )
}

/// A value that does not have the type of the schema.
pub(crate) fn unexpected_value(what: &str, problem: &str) -> Diagnostic {
    misuse(
        "Unexpected Value From Terraform",
        format!("The {what} that Terraform sent does not fit the provider's schema: {problem}."),
    )
}

/// The call `what` was given up because the user wants to stop.
pub(crate) fn cancelled(what: &str) -> Diagnostic {
    let detail = format!("Terraform is stopping, so the provider did not wait for {what} to end.");
    Diagnostic::error("Operation Cancelled", detail)
        .coded(DiagnosticCode::Stopped)
        .with_remedy("Run Terraform again.")
}

/// Some work took longer than it may.
pub(crate) fn timeout(limit: &str) -> Diagnostic {
    let detail = format!(
        "It took longer than {limit}, so the provider stopped waiting. The operation may still go on."
    );
    Diagnostic::error("Timeout", detail)
        .coded(DiagnosticCode::Stopped)
        .with_remedy("Give it more time in `timeouts`, if the resource has that, and apply again.")
}

/// Private data of another form.
pub(crate) fn unreadable_private(problem: &str) -> Diagnostic {
    let detail = format!(
        "The private data that the provider keeps next to the state can't be read: {problem}. Another provider wrote the state, or it was \
         changed by hand."
    );
    Diagnostic::error("Unreadable Private State", detail)
        .coded(DiagnosticCode::Syntax)
        .with_remedy("Go back to a state from before that, or remove the resource from the state and import it.")
}

/// A value that a check does not accept: `requirement` is such as "must be at most 9".
pub(crate) fn unaccepted(at: AttributePath, requirement: &str) -> Diagnostic {
    let problem = Diagnostic::error(INVALID_VALUE, String::new()).coded(DiagnosticCode::Refused);
    problem.with_remedy(format!("{at} {requirement}.")).at(at)
}

/// The heading of what is wrong with a value that the user wrote.
pub(crate) const INVALID_VALUE: &str = "Invalid Attribute Value";

/// An element or a key that a check does not accept, in an attribute that must not be shown.
pub(crate) fn unaccepted_secret(at: AttributePath) -> Diagnostic {
    Diagnostic::error(
        INVALID_VALUE,
        format!("{at} has an element or a key that is not accepted."),
    )
    .coded(DiagnosticCode::Refused)
    .with_remedy("Look up the accepted values in the provider's documentation.")
    .at(at)
}

/// A value that is not one of the field's, in the JSON that was read.
pub(crate) fn unfit(error: &DecodeError, json: &[u8], is_secret: bool) -> Diagnostic {
    let path = error.path().cloned().unwrap_or_default();
    let place = if path.is_empty() {
        "the resource".to_owned()
    } else {
        path.to_string()
    };
    let (problem, remedy) = if error.kind() == DecodeErrorKind::Null {
        (
            "it is null, and a value is needed here".to_owned(),
            "Set it.",
        )
    } else {
        // The type's own words may quote the value.
        let problem = if is_secret {
            for_users(&error.problem(), None)
        } else {
            for_users(&problem_in(error, json), error.in_own_words())
        };
        (problem, "Change the value in the configuration.")
    };
    read(INVALID_VALUE, format!("{place}: {problem}."), error).with_remedy(remedy)
}

/// The diagnostic of a decoder's error, in other words.
fn read(summary: &str, detail: String, error: &DecodeError) -> Diagnostic {
    match Diagnostics::from(error.clone()).iter().next() {
        Some(read) => read.with_texts(summary, detail, str::to_owned),
        None => Diagnostic::error(summary, detail),
    }
}

/// Errors of a decoder, for people who write configurations. It speaks of stored values and of
/// Rust's types; this value was configured or planned, and its type is one of Terraform's.
fn for_users(problem: &str, in_own_words: Option<&str>) -> String {
    let problem = problem.replacen("the stored ", "the ", 1);
    // Users do not know the author's own types, so that these are not named.
    if problem.starts_with("the string is not a valid `") {
        return match in_own_words {
            Some(words) => words.trim_end_matches('.').to_owned(),
            None => "the string is not one that the provider can read".to_owned(),
        };
    }
    problem
}

/// Attributes that are not set together as they have to be.
pub(crate) fn combination(
    summary: &str,
    detail: String,
    remedy: &str,
    at: AttributePath,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(summary, detail)
        .coded(DiagnosticCode::Combination)
        .with_remedy(remedy);
    if at.is_empty() {
        diagnostic
    } else {
        diagnostic.at(at)
    }
}

/// A value for what only the provider sets.
pub(crate) fn read_only(at: AttributePath) -> Diagnostic {
    Diagnostic::error(
        "Invalid Configuration for Read-Only Attribute",
        format!("{at} cannot be set: the provider sets it."),
    )
    .coded(DiagnosticCode::ReadOnly)
    .with_remedy("Remove the line that sets it.")
    .at(at)
}

/// A write-only attribute, and a Terraform that stores it.
pub(crate) fn write_only_refused(at: AttributePath) -> Diagnostic {
    let detail = format!(
        "The attribute {at} is write-only: its value is used and never stored. This Terraform would store it."
    );
    Diagnostic::error("Write-Only Attribute Not Allowed", detail)
        .coded(DiagnosticCode::WriteOnly)
        .with_remedy("Use Terraform 1.11 or later, or leave it out.")
        .at(at)
}

/// A stored attribute that has one beside it which is not.
pub(crate) fn write_only_offered(at: AttributePath, instead: &str) -> Diagnostic {
    Diagnostic::warning(
        "Available Write-only Attribute Alternative",
        format!("{at} is stored in the state."),
    )
    .coded(DiagnosticCode::WriteOnly)
    .with_remedy(format!("Use {instead}, which Terraform stores nowhere."))
    .at(at)
}

/// The configuration uses something deprecated: `remedy` is what the author says of it.
pub(crate) fn deprecated(summary: &str, remedy: String, at: Option<AttributePath>) -> Diagnostic {
    let warning = Diagnostic::warning(summary, String::new())
        .coded(DiagnosticCode::Deprecated)
        .with_remedy(remedy);
    match at {
        Some(at) => warning.at(at),
        None => warning,
    }
}

/// The provider needs its whole configuration now.
pub(crate) fn configuration_not_known(name: &str) -> Diagnostic {
    Diagnostic::error(
        "Provider Configuration Not Known",
        format!("The provider's configuration depends on something that is not known yet: {name}."),
    )
    .coded(DiagnosticCode::NotKnown)
    .with_remedy(
        "Set it to a value that is known when Terraform plans, or first apply the resources that it depends on, with -target.",
    )
    .at(AttributePath::new().attribute(name.to_owned()))
}

/// The type has no import.
pub(crate) fn no_import(type_name: &str) -> Diagnostic {
    Diagnostic::error(
        NO_IMPORT,
        format!("Resources of type {type_name} can't be imported."),
    )
    .coded(DiagnosticCode::NotSupported)
    .with_remedy("Create it with Terraform, or ask the authors for an import.")
}

const NO_IMPORT: &str = "Resource Import Not Implemented";

/// The type has an identity that no import takes.
pub(crate) fn no_import_by_identity(type_name: &str) -> Diagnostic {
    Diagnostic::error(
        NO_IMPORT,
        format!("Resources of type {type_name} can't be imported by identity."),
    )
    .coded(DiagnosticCode::NotSupported)
    .with_remedy("Import them by id.")
}

/// The type has no identity.
pub(crate) fn no_identity(type_name: &str) -> Diagnostic {
    Diagnostic::error(
        NO_IMPORT,
        format!("Resources of type {type_name} have no identity."),
    )
    .coded(DiagnosticCode::NotSupported)
    .with_remedy("Import them by id.")
}

/// The identity of an import, as JSON, is not of the schema.
pub(crate) fn invalid_identity(error: &DecodeError, identity: &[u8]) -> Diagnostic {
    let place = error
        .path()
        .map(|path| format!("{path}: "))
        .unwrap_or_default();
    let detail = format!(
        "The identity does not fit its schema: {place}{}.",
        for_users(&problem_in(error, identity), error.in_own_words())
    );
    // The path would be one of the resource.
    let diagnostic = read("Invalid Identity", detail, error).without_path();
    diagnostic.with_remedy("Change the identity in the `import` block.")
}

/// The id of an import does not have the attribute's type.
pub(crate) fn invalid_id(id: &str, attribute: &str) -> Diagnostic {
    Diagnostic::error(
        "Invalid Import Id",
        format!("The id {id:?} is not a number, and {attribute} is one."),
    )
    .coded(DiagnosticCode::BadNumber)
    .with_remedy("Import it by its number.")
}

/// The provider did not find an object; `named` says which, for example `named "a"`.
pub(crate) fn nothing_to_import(type_name: &str, named: &str) -> Diagnostic {
    Diagnostic::error(
        "Nothing to Import",
        format!("There is no {type_name} {named}, so nothing was imported."),
    )
    .coded(DiagnosticCode::NotFound)
    .with_remedy("Check its name, and where the provider is configured to look.")
}

/// A function panicked. Its message is not shown, because it may hold what is secret.
pub(crate) fn panicked(summary: &str, what: &str) -> Diagnostic {
    mistake(
        summary,
        format!("The {what} panicked. Terraform's log has the place."),
    )
}

/// A value that is not known yet, and a type of the field that has none for that.
pub(crate) fn no_filler(path: AttributePath) -> Diagnostic {
    let detail = format!(
        "{path} is not known before it is applied, and its type in the model has no value for that. Authors make the field an `Option`, or, where \
         a plan is only looked at, ask it for {path} with `get`."
    );
    mistake("Computed Attribute Without A Filler", detail).at(path)
}

/// An attribute of an imported resource that is not read yet, and a type of the field that has no
/// value for that.
pub(crate) fn no_filler_for_import(path: AttributePath) -> Diagnostic {
    let detail = format!(
        "{path} is not known before the imported resource is read, and its type in the model has no value for that. Authors write the function \
         `import` instead of `IMPORT_ID`."
    );
    mistake("Import Needs Its Own Function", detail).at(path)
}

/// A computed attribute that a change left open.
pub(crate) fn not_set(path: AttributePath) -> Diagnostic {
    let detail = format!(
        "{path} was not known when the change was planned, and the provider did not set it. Set the field in its function."
    );
    mistake("Computed Attribute Not Set", detail).at(path)
}

/// An attribute that an import left open.
pub(crate) fn not_set_by_read(path: AttributePath) -> Diagnostic {
    let detail = format!(
        "{path} was not set by `read` of the imported resource. Set every field in `read`, or write `import`."
    );
    mistake("Attribute Not Set", detail).at(path)
}

/// A place that the schema does not have, of a plan or a configuration.
pub(crate) fn misplaced(
    summary: &str,
    done: &str,
    path: &impl fmt::Display,
    what: &str,
    type_name: &str,
) -> Diagnostic {
    mistake(
        summary,
        format!(
            "The provider {done} a value for {path}, and the {what} of {type_name} has no such place."
        ),
    )
}

/// An attribute that an author's function asked for, and the schema does not have.
pub(crate) fn misnamed(path: &AttributePath) -> Diagnostic {
    mistake("Unknown Attribute", misnamed_detail(path))
}

/// Warns of such a mistake where a change was made already.
pub(crate) fn misnamed_in_change(path: &AttributePath) -> Diagnostic {
    of_authors(Diagnostic::warning(
        "Unknown Attribute",
        misnamed_detail(path),
    ))
}

fn misnamed_detail(path: &AttributePath) -> String {
    format!("The provider asked for {path}, and the schema has no such attribute.")
}

/// A default that is not one of the attribute's values.
pub(crate) fn invalid_default(name: &str, problem: &str) -> Diagnostic {
    mistake(
        "Invalid Default",
        format!("The default of {name} is not one of its values: {problem}."),
    )
}

/// A value that has no form.
pub(crate) fn unencodable(error: &EncodeError) -> Diagnostic {
    let diagnostic = mistake(
        "Unable to Convert State",
        format!("The state has no form: {error}."),
    );
    if error.path().is_empty() {
        diagnostic
    } else {
        diagnostic.at(error.path().clone())
    }
}

/// The result of a function, which has no form.
pub(crate) fn unencodable_result(summary: &str, error: &EncodeError) -> Diagnostic {
    mistake(
        summary,
        format!("The function's result has no form: {error}."),
    )
}

/// A value of the provider's that its schema does not have.
pub(crate) fn unfit_value(what: &str, error: &ConformError) -> Diagnostic {
    let diagnostic = mistake(
        INVALID_FROM_PROVIDER,
        format!("The {what} does not fit the schema: {error}."),
    );
    if error.path().is_empty() {
        diagnostic
    } else {
        diagnostic.at(error.path().clone())
    }
}

const INVALID_FROM_PROVIDER: &str = "Invalid Value From Provider";

/// A model or an identity without attributes.
pub(crate) fn not_an_object(what: &str) -> Diagnostic {
    mistake(
        INVALID_FROM_PROVIDER,
        format!("The {what} is not an object."),
    )
}

/// An ephemeral resource that asks for what it does not have.
pub(crate) fn no_renewal(type_name: &str) -> Diagnostic {
    let detail = format!(
        "The provider asked Terraform to renew {type_name}, but cannot renew it. Implement `renew`."
    );
    mistake("Ephemeral Resource Renewal Not Implemented", detail)
}

/// An object that has become another one.
pub(crate) fn identity_changed(done: &str, before: &str, now: &str) -> Diagnostic {
    let detail = format!(
        "The {done} answered with another object than was asked for: its identity was {before}, and is {now} now. Authors say \
         `MUTABLE_IDENTITY` if it may change."
    );
    mistake("Unexpected Identity Change", detail)
}

/// A state that an upgrade made and the model can't hold.
pub(crate) fn unfit_upgrade(type_name: &str, version: u64, problem: &str) -> Diagnostic {
    let detail = format!(
        "The upgrade of {type_name} from schema version {version} made a state that its model can't hold: {problem}. The stored state is unchanged."
    );
    Diagnostic::bug("Invalid Upgraded Resource State", detail)
}

/// An attribute that protocol 5 can't have.
pub(crate) fn needs_protocol_6(detail: String) -> Diagnostic {
    Diagnostic::error("Schema Needs Protocol 6", detail)
        .coded(DiagnosticCode::NotSupported)
        .with_remedy("Use Terraform 1.0 or later, which speaks protocol 6.")
}

/// The program beside this one cannot be used.
pub(crate) fn beside_not_started(program: &Path, problem: &str) -> Diagnostic {
    let detail = format!(
        "{} serves the types that this provider does not serve itself, and cannot be used. {problem}",
        program.display()
    );
    Diagnostic::error("Unable to Start the Provider Beside This One", detail)
        .coded(DiagnosticCode::Beside)
        .with_remedy(
            "Install the provider again, whole; if that does not help, report it to the authors.",
        )
}

/// Both providers serve something, and not the same.
pub(crate) fn beside_unfit(detail: &str) -> Diagnostic {
    mistake("Providers Do Not Fit Together", detail)
}

/// The program beside this one takes no state of other types.
pub(crate) fn beside_without_moves(program: &Path, type_name: &str) -> Diagnostic {
    let detail = format!(
        "{}, which serves {type_name}, does not take over states of other types.",
        program.display()
    );
    Diagnostic::error("Unsupported Move", detail)
        .coded(DiagnosticCode::NotSupported)
        .with_remedy("Remove the `moved` block, or import the resource.")
}

/// The program beside this one did not answer.
pub(crate) fn beside_silent(problem: &str) -> Diagnostic {
    Diagnostic::error(
        "Provider Did Not Respond",
        format!("The provider beside this one did not answer: {problem}."),
    )
    .coded(DiagnosticCode::Beside)
    .with_remedy("Run it again; if that does not help, report it to the authors.")
}

#[cfg(test)]
mod tests;
