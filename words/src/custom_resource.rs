//! Facts of a custom resource of Kubernetes, as the derive writes them: plain data, which the
//! runtime has beside the document's shape.

/// A custom resource: its names, and its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The struct of the spec, without its module.
    pub rust_name: &'static str,
    /// The API group, such as `ferry.example.com`.
    pub group: &'static str,
    /// The kind, such as `Boat`.
    pub kind: &'static str,
    /// The name in URLs, such as `boats`.
    pub plural: &'static str,
    /// The name of one, such as `boat`.
    pub singular: &'static str,
    /// Short names for `kubectl`.
    pub short_names: &'static [&'static str],
    /// Groups of kinds for `kubectl`, such as `all`.
    pub categories: &'static [&'static str],
    /// The owner of the objects.
    pub scope: Scope,
    /// The doc comment of the struct.
    pub description: &'static str,
    /// In the order of the attribute.
    pub versions: &'static [Version],
    /// Columns of `kubectl get`.
    pub columns: &'static [Column],
    /// Fields that clients may select by.
    pub selectable: &'static [&'static str],
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// Rules of CEL for the spec of the current version.
    pub rules: &'static [Rule],
    /// True if it has a status, as a subresource.
    pub status: bool,
}

/// A rule of CEL, which servers from Kubernetes 1.25 on ask about each object that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The expression, in which `self` is the value.
    pub rule: &'static str,
    /// The message for whom it refuses.
    pub message: &'static str,
}

/// The owner of a custom resource's objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A namespace.
    Namespaced,
    /// The cluster.
    Cluster,
}

impl Scope {
    /// Its name in definitions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        }
    }
}

/// A version of a custom resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The version of the document.
    pub number: u64,
    /// The name in Kubernetes, such as `v1beta1`.
    pub name: &'static str,
    /// True if clients may ask for it.
    pub served: bool,
    /// True if objects are stored in it.
    pub storage: bool,
    /// The reason for clients to use another one.
    pub deprecated: Deprecated,
}

/// A version's deprecation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deprecated {
    /// It is not deprecated.
    No,
    /// It is; the server writes the warning.
    Yes,
    /// It is, and clients are warned with this text.
    Warning(&'static str),
}

/// A column of `kubectl get`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// The field in the current version, such as `.spec.length`. Versions that do not have the
    /// field do not have the column.
    pub path: &'static str,
    /// The type of its values.
    pub ty: &'static str,
    /// Their format.
    pub format: Option<&'static str>,
    /// An explanation.
    pub description: Option<&'static str>,
    /// 0 is always shown, others with `-o wide`.
    pub priority: i32,
}

/// The scale subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// The wanted number of replicas, below `.spec`.
    pub spec: &'static str,
    /// The number of replicas, below `.status`.
    pub status: &'static str,
    /// The selector of their pods, below `.status`.
    pub selector: Option<&'static str>,
}

impl Facts {
    /// The version of this name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&'static Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// The version that objects are stored in. The derive writes one.
    #[must_use]
    pub fn storage(&self) -> Option<&'static Version> {
        self.versions.iter().find(|version| version.storage)
    }

    /// True if a cluster cannot have both: their group is one, and the kind or the plural.
    #[must_use]
    pub fn shares_name(&self, other: &Self) -> bool {
        self.group == other.group && (self.kind == other.kind || self.plural == other.plural)
    }

    /// The name of the definition, such as `boats.ferry.example.com`.
    #[must_use]
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }
}

/// The stability of a version of an API, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Maturity {
    /// `v1alpha1`: it may change or end at any time.
    Alpha,
    /// `v1beta1`: its end is announced.
    Beta,
    /// `v1`: its end is announced long before.
    Stable,
}

impl Maturity {
    /// Its name: `alpha`, `beta`, `stable`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        }
    }

    /// The stability of a version, and the two numbers of its name, the second 0 if it is stable;
    /// nothing if it is named in another way.
    #[must_use]
    pub fn of(name: &str) -> Option<(Self, u64, u64)> {
        let number = |text: &str| {
            let is_number = !text.starts_with('0')
                && text.len() < 10
                && text.bytes().all(|byte| byte.is_ascii_digit());
            if is_number {
                text.parse::<u64>().ok()
            } else {
                None
            }
        };
        let rest = name.strip_prefix('v')?;
        match (rest.split_once("alpha"), rest.split_once("beta")) {
            (Some((major, minor)), _) => Some((Self::Alpha, number(major)?, number(minor)?)),
            (None, Some((major, minor))) => Some((Self::Beta, number(major)?, number(minor)?)),
            (None, None) => Some((Self::Stable, number(rest)?, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Maturity;

    #[test]
    fn the_name_of_a_version_has_its_stability() {
        for (name, expected) in [
            ("v1", Some((Maturity::Stable, 1, 0))),
            ("v1beta2", Some((Maturity::Beta, 1, 2))),
            ("v12alpha1", Some((Maturity::Alpha, 12, 1))),
            ("v1.2", None),
            ("foo", None),
            ("v0", None),
            ("v", None),
            ("v1beta", None),
            ("valpha1", None),
        ] {
            assert_eq!(Maturity::of(name), expected, "{name}");
        }
        assert!(Maturity::Alpha < Maturity::Beta && Maturity::Beta < Maturity::Stable);
    }
}
