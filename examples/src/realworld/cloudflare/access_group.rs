//! `cloudflare_zero_trust_access_group`: a block with many lists became many objects with one member each.

use std::convert::Infallible;

use upstate::{Object, Resource};

/// People, by what they sign in with.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_zero_trust_access_group", version = 500)]
#[upgrade_from(0 => 500,
    convert(exclude: Option<Vec<SelectorsV0>>, with = apart),
    convert(include: Option<Vec<SelectorsV0>>, with = apart),
    convert(require: Option<Vec<SelectorsV0>>, with = apart),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct AccessGroup {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: Option<String>,
    pub exclude: Option<Vec<Selector>>,
    pub include: Option<Vec<Selector>>,
    pub name: String,
    pub require: Option<Vec<Selector>>,
    pub zone_id: Option<String>,
}

/// One of these is set. There are more, of the same few forms.
#[derive(Debug, Clone, Default, PartialEq, Object)]
pub struct Selector {
    pub any_valid_service_token: Option<Anybody>,
    pub certificate: Option<Anybody>,
    pub common_name: Option<CommonName>,
    pub email: Option<Email>,
    pub email_domain: Option<EmailDomain>,
    pub everyone: Option<Anybody>,
    pub geo: Option<Geo>,
    pub group: Option<Id>,
    pub ip: Option<Ip>,
    pub ip_list: Option<Id>,
}

/// No more is to be said.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Anybody {}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CommonName {
    pub common_name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Email {
    pub email: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EmailDomain {
    pub domain: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Geo {
    pub country_code: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Id {
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Ip {
    pub ip: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SelectorsV0 {
    pub any_valid_service_token: Option<bool>,
    pub certificate: Option<bool>,
    pub common_name: Option<String>,
    pub common_names: Option<Vec<String>>,
    pub email: Option<Vec<String>>,
    pub email_domain: Option<Vec<String>>,
    pub everyone: Option<bool>,
    pub geo: Option<Vec<String>>,
    pub group: Option<Vec<String>>,
    pub ip: Option<Vec<String>>,
    pub ip_list: Option<Vec<String>>,
}

/// One selector for each value of each member. Blank strings and flags that are off selected nobody.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the form that the operator asks for"
)]
fn apart(blocks: Option<Vec<SelectorsV0>>) -> Result<Option<Vec<Selector>>, Infallible> {
    let selectors: Vec<Selector> = blocks.into_iter().flatten().flat_map(selectors).collect();
    Ok((!selectors.is_empty()).then_some(selectors))
}

fn selectors(block: SelectorsV0) -> Vec<Selector> {
    let mut all = Vec::new();
    let nobody = Selector::default;
    let set = |list: Option<Vec<String>>| {
        list.into_iter()
            .flatten()
            .filter(|text| !text.trim().is_empty())
    };
    all.extend(set(block.email).map(|email| Selector {
        email: Some(Email { email }),
        ..nobody()
    }));
    all.extend(set(block.email_domain).map(|domain| Selector {
        email_domain: Some(EmailDomain { domain }),
        ..nobody()
    }));
    all.extend(set(block.ip).map(|ip| Selector {
        ip: Some(Ip { ip }),
        ..nobody()
    }));
    all.extend(set(block.ip_list).map(|id| Selector {
        ip_list: Some(Id { id }),
        ..nobody()
    }));
    all.extend(set(block.group).map(|id| Selector {
        group: Some(Id { id }),
        ..nobody()
    }));
    all.extend(set(block.geo).map(|country_code| Selector {
        geo: Some(Geo { country_code }),
        ..nobody()
    }));
    let common_names = block
        .common_name
        .into_iter()
        .chain(block.common_names.into_iter().flatten())
        .collect();
    all.extend(set(Some(common_names)).map(|common_name| Selector {
        common_name: Some(CommonName { common_name }),
        ..nobody()
    }));
    let on = |flag: Option<bool>| (flag == Some(true)).then_some(Anybody {});
    all.extend(on(block.everyone).map(|everyone| Selector {
        everyone: Some(everyone),
        ..nobody()
    }));
    all.extend(on(block.certificate).map(|certificate| Selector {
        certificate: Some(certificate),
        ..nobody()
    }));
    all.extend(on(block.any_valid_service_token).map(|any| Selector {
        any_valid_service_token: Some(any),
        ..nobody()
    }));
    all
}
