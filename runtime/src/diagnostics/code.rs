//! The reason of a diagnostic, in a word that a program can compare.

use std::fmt;

use ::serde::{Serialize, Serializer};

/// Declares each code once: its variant, its word, its sentence.
macro_rules! codes {
    ($($variant:ident = $word:literal, $meaning:literal;)+) => {
        /// The reason of an error or a warning, for programs: strings may change between releases,
        /// codes do not.
        ///
        /// ```
        /// use upstate::{DiagnosticCode, Registry, Resource, UpgradeRequest};
        ///
        /// #[derive(Resource)]
        /// #[resource(type_name = "acme_disk", version = 1, oldest = 1)]
        /// struct Disk {
        ///     size: u8,
        /// }
        ///
        /// let registry = Registry::new().with::<Disk>();
        /// let code = |version, json: &'static str| {
        ///     let response = registry.upgrade(&UpgradeRequest::json("acme_disk", version, json.as_bytes()));
        ///     response.diagnostics().iter().next().and_then(|diagnostic| diagnostic.code())
        /// };
        /// assert_eq!(code(2, r#"{"size": 1}"#), Some(DiagnosticCode::NewerVersion));
        /// assert_eq!(code(1, r#"{"size": "big"}"#), Some(DiagnosticCode::BadNumber));
        /// assert_eq!(DiagnosticCode::BadNumber.as_str(), "bad-number");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticCode {
            $(#[doc = $meaning] $variant,)+
        }

        impl DiagnosticCode {
            /// Each code.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The word in JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The code in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)+
                }
            }
        }
    };
}

codes! {
    NewerVersion = "newer-version", "A later release stored it.";
    TooOld = "too-old", "This release no longer upgrades from that version.";
    NoUpgrade = "no-upgrade", "The release has no upgrade from that version, or one that it gave up.";
    UnknownShape = "unknown-shape", "None of the shapes that were stored under that version is the stored one.";
    UnknownType = "unknown-type", "No model has that type name, or takes state of it.";
    NothingStored = "nothing-stored", "There is nothing to upgrade.";
    Syntax = "syntax", "The bytes are not of their encoding.";
    TooLong = "too-long", "A line is longer than what the program reads at once.";
    TooDeep = "too-deep", "Too many values are inside one another.";
    WrongKind = "wrong-kind", "A value is of another kind than the schema says.";
    BadBool = "bad-bool", "A string or number is not a bool.";
    BadNumber = "bad-number", "No number, one of too many digits, or one that the type of the field cannot hold.";
    BadText = "bad-text", "A string is not one that the field takes.";
    UnknownVariant = "unknown-variant", "A name is not one of the variants.";
    Null = "null", "A value is null or not there, and must be.";
    WrongLength = "wrong-length", "An array has another number of elements than a tuple or struct.";
    BadDynamic = "bad-dynamic", "A dynamic value has no type, or its elements have several.";
    Repeated = "repeated", "A member, a key of a map or an element of a set is there twice.";
    Unwritable = "unwritable", "The format of a document cannot hold a value, or would not keep the rest of the document.";
    Ambiguous = "ambiguous", "The format of a document has a member of the name of an attribute.";
    Rounded = "rounded", "A value has more digits or parts than its type, and is kept with fewer.";
    Undefined = "undefined", "A value that no schema defines, and that would be lost.";
    Refused = "refused", "An operator or a check does not take a value.";
    Author = "author", "The author's own words.";
    Bug = "upgrader-bug", "The upgrader panicked, or made what its own version cannot hold.";
    WouldLose = "would-lose", "The older version cannot hold a value.";
    Asynchronous = "asynchronous", "The upgrade waits for a service, and was asked for where nothing can wait.";
    Unreachable = "unreachable", "A service that an upgrader may ask cannot be reached.";
    Stopped = "stopped", "The request was stopped, or its deadline passed.";
    NotKnown = "not-known", "A value of the configuration is not known yet, and has to be.";
    Combination = "combination", "Attributes that exclude one another are set, or one that has to be set is not.";
    ReadOnly = "read-only", "The configuration sets an attribute that only the provider sets.";
    WriteOnly = "write-only", "An attribute would be stored that must not be, or is stored and need not be.";
    Deprecated = "deprecated", "The configuration uses what a later release may not have.";
    NotFound = "not-found", "The object to import does not exist.";
    NotSupported = "not-supported", "A type, or the protocol, does not have the operation that was asked for.";
    Beside = "provider-beside", "The provider beside this one does not start, answer or fit.";
    ProviderBug = "provider-bug", "The provider panicked, or made what its own schema does not allow.";
    CallerBug = "caller-bug", "The calling program sent what its protocol does not allow.";
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for DiagnosticCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
