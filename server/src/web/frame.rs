//! The frame of every page, and parts that many have.

use std::collections::BTreeSet;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use maud::{DOCTYPE, Markup, html};
use upstate::path::Printable;
use upstate_state::InstanceStatus;

use super::assets::{ICON, SCRIPT, STYLE};
use super::notice::{Notice, outcome};
use super::session::Session;
use super::visitor::{Requested, Visitor};
use super::zone::Zone;
use crate::model::{Organization, Permission, Timestamp, Workspace};
use crate::store::Page;

/// The head of a page for somebody who has signed in: where they are, and where else they may go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Top<'a> {
    pub(super) session: &'a Session,
    /// The names of the organizations that they see, if there are several.
    pub(super) organizations: &'a [String],
    /// The organization that the page is of.
    pub(super) here: Option<&'a str>,
    pub(super) section: Option<Section>,
}

/// The organizations that are listed on every page; the page of all has the others.
const LISTED: usize = 30;

impl Top<'_> {
    /// The way to the other organizations, each on the page of the same section. A disclosure of
    /// links needs no script.
    fn switcher(&self) -> Markup {
        let section = self
            .section
            .filter(|section| !section.needs_admin())
            .map_or("", Section::path);
        html! {
            details .switch {
                summary { span .skip { "Organization: " } @if let Some(here) = self.here { (shown(here)) } @else { "Organizations" } }
                nav .panel aria-label="Organizations" {
                    ul {
                        @for name in self.organizations.iter().take(LISTED) {
                            li { a href=(format!("/ui/organizations/{name}{section}")) aria-current=[(self.here == Some(name)).then_some("true")] { (shown(name)) } }
                        }
                        @if self.organizations.len() > LISTED { li { a href="/" { "All " (self.organizations.len()) } } }
                    }
                }
            }
        }
    }

    fn markup(&self) -> Markup {
        html! {
            @if !self.organizations.is_empty() { (self.switcher()) }
            @if let Some(here) = self.here {
                form .find method="get" action=(format!("/ui/organizations/{here}/search")) role="search" aria-label="Everything" {
                    input #find type="search" name="find" maxlength="200" aria-label="Find a workspace, type, address or id" placeholder="Find a workspace, type, address or id" aria-keyshortcuts="/";
                    button .quiet { "Find" }
                }
            }
            form method="post" action="/ui/sign-out" { (proof(self.session)) button .quiet { "Sign out" } }
        }
    }
}

/// A whole page.
pub(super) fn whole(
    status: StatusCode,
    title: &str,
    top: Option<Top<'_>>,
    body: &Markup,
) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · upstate" }
                link rel="stylesheet" href=(STYLE.path);
                link rel="icon" type="image/svg+xml" href=(ICON.path);
                script src=(SCRIPT.path) defer {}
            }
            body {
                a .skip href="#main" { "Skip to the content" }
                header {
                    a .home href="/" { "upstate" }
                    @if let Some(top) = top { (top.markup()) }
                }
                main #main { (body) }
                footer .soft {
                    @if top.is_some() { p { a href="/ui/times" { "Times in " (Zone::here().to_string()) } } }
                    // Without the script there are no keys, so that it is the script which shows
                    // this.
                    p hidden {
                        kbd { "/" } " finds, " kbd { "j" } " and " kbd { "k" } " go through a list"
                        @if let Some(here) = top.and_then(|top| top.here) { (keys_of(here)) }
                    }
                }
            }
        }
    };
    (
        status,
        [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
        page.into_string(),
    )
        .into_response()
}

/// The keys that lead to the lists of an organization, each with its link: the script follows it.
fn keys_of(organization: &str) -> Markup {
    let lists = [
        ("w", "", "workspaces"),
        ("j", "/jobs", "jobs"),
        ("t", "/types", "types"),
    ];
    html! {
        @for (key, list, words) in lists {
            ", " kbd { "g " (key) } " leads to "
            a href=(format!("/ui/organizations/{organization}{list}")) data-go=(key) { (words) }
        }
    }
}

/// The pages above a page.
#[derive(Debug, Clone, Copy)]
pub(super) enum Above<'a> {
    Nothing,
    Organization(&'a Organization),
    Jobs(&'a Organization),
    Workspace(&'a Organization, &'a Workspace),
}

impl<'a> Above<'a> {
    const fn organization(self) -> Option<&'a Organization> {
        match self {
            Self::Nothing => None,
            Self::Organization(organization)
            | Self::Jobs(organization)
            | Self::Workspace(organization, _) => Some(organization),
        }
    }

    fn markup(self) -> Markup {
        let Some(organization) = self.organization() else {
            return html! {};
        };
        let path = format!("/ui/organizations/{}", organization.name);
        html! {
            nav .crumbs aria-label="Above this page" {
                a href="/" { "Organizations" } " / " a href=(path) { (shown(&organization.name)) }
                @match self {
                    Self::Nothing | Self::Organization(_) => {}
                    Self::Jobs(_) => { " / " a href=(format!("{path}/jobs")) { "Jobs" } }
                    Self::Workspace(_, workspace) => { " / " a href=(format!("/ui/workspaces/{}", workspace.id)) { (shown(&workspace.name)) } }
                }
            }
        }
    }
}

/// A page for somebody who has signed in, with its heading.
pub(super) fn page(visitor: &Visitor, above: Above<'_>, title: &str, body: &Markup) -> Response {
    titled(visitor, above, title, title, body)
}

/// A page whose notice has the way back from what was just done in it.
pub(super) fn page_with_undo(
    visitor: &Visitor,
    above: Above<'_>,
    title: &str,
    undo: &Markup,
    body: &Markup,
) -> Response {
    framed(visitor, above, (title, title), undo, body)
}

/// A page whose title in the browser is another one than its heading.
pub(super) fn titled(
    visitor: &Visitor,
    above: Above<'_>,
    title: &str,
    heading: &str,
    body: &Markup,
) -> Response {
    framed(visitor, above, (title, heading), &html! {}, body)
}

fn framed(
    visitor: &Visitor,
    above: Above<'_>,
    (title, heading): (&str, &str),
    undo: &Markup,
    body: &Markup,
) -> Response {
    let body = html! { (above.markup()) h1 { (heading) } (outcome(visitor.notice, undo, visitor.problem.as_deref())) (body) };
    let top = visitor.top(
        above
            .organization()
            .map(|organization| organization.name.as_str()),
        None,
    );
    shown_once(visitor, whole(StatusCode::OK, title, Some(top), &body))
}

/// A page after whose notice there is none any more.
fn shown_once(visitor: &Visitor, mut page: Response) -> Response {
    if visitor.notice.is_some()
        && let Ok(cookie) = HeaderValue::from_str(&Notice::no_cookie(&visitor.path))
    {
        page.headers_mut().append(header::SET_COOKIE, cookie);
    }
    page
}

/// A page of a section of an organization.
pub(super) fn section(
    visitor: &Visitor,
    organization: &Organization,
    here: Section,
    body: &Markup,
) -> Response {
    let title = format!("{} · {}", here.title(), shown(&organization.name));
    section_titled(visitor, organization, here, &title, body)
}

/// A page of a section whose title in the browser is another one than the section's.
pub(super) fn section_titled(
    visitor: &Visitor,
    organization: &Organization,
    here: Section,
    title: &str,
    body: &Markup,
) -> Response {
    let admin = visitor.may(&organization.id, Permission::Admin);
    let sections = Section::ALL
        .into_iter()
        .filter(|section| admin || !section.needs_admin());
    let body = html! {
        nav .crumbs aria-label="Above this page" { a href="/" { "Organizations" } }
        h1 { (shown(&organization.name)) }
        nav .sections aria-label="Sections" {
            @for section in sections {
                a href=(format!("/ui/organizations/{}{}", organization.name, section.path())) aria-current=[(section == here).then_some("page")] {
                    (section.title())
                }
            }
        }
        (outcome(visitor.notice, &html! {}, visitor.problem.as_deref()))
        (body)
        // Somebody may print the page, or leave it open, so that it must say how old it is.
        p .soft { "As of " (exactly(visitor.now)) }
    };
    shown_once(
        visitor,
        whole(
            StatusCode::OK,
            title,
            Some(visitor.top(Some(&organization.name), Some(here))),
            &body,
        ),
    )
}

/// The sections of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Workspaces,
    Changes,
    Search,
    Jobs,
    Members,
    Trusts,
    Audit,
}

impl Section {
    const ALL: [Self; 7] = [
        Self::Workspaces,
        Self::Changes,
        Self::Search,
        Self::Jobs,
        Self::Members,
        Self::Trusts,
        Self::Audit,
    ];

    const fn title(self) -> &'static str {
        match self {
            Self::Workspaces => "Workspaces",
            Self::Changes => "Changes of the release",
            Self::Search => "Search",
            Self::Jobs => "Jobs",
            Self::Members => "Tokens and members",
            Self::Trusts => "Trusts",
            Self::Audit => "Audit log",
        }
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Workspaces => "",
            Self::Changes => "/changes",
            Self::Search => "/search",
            Self::Jobs => "/jobs",
            Self::Members => "/members",
            Self::Trusts => "/trusts",
            Self::Audit => "/audit",
        }
    }

    const fn needs_admin(self) -> bool {
        match self {
            Self::Members | Self::Trusts | Self::Audit => true,
            Self::Workspaces | Self::Changes | Self::Search | Self::Jobs => false,
        }
    }
}

/// The secret of a form, so that no other site can send it.
pub(super) fn proof(session: &Session) -> Markup {
    html! { input type="hidden" name="csrf" value=(session.proof()); }
}

/// Text from elsewhere, such as a name or a value: what would hide or reorder other text is written
/// as an escape, and what is too long is cut.
pub(super) fn shown(text: &str) -> String {
    cut(text, 300)
}

/// A message of several sentences, with names from elsewhere in it.
pub(super) fn described(text: &str) -> String {
    let paragraphs: Vec<String> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| cut(line, 4000))
        .collect();
    paragraphs.join(" ")
}

fn cut(text: &str, longest: usize) -> String {
    let mut shown: String = text.chars().take(longest).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Printable(&shown).to_string()
}

/// The longest part of a value that anybody reads, in characters.
const LONGEST: usize = 4000;

/// The whole of a value of which a part is shown, folded.
pub(super) fn unfolded(value: &str) -> Markup {
    let length = value.chars().count();
    html! {
        details .value {
            summary { span .soft { (length) " characters" } }
            (whole_value(value, length))
        }
    }
}

fn whole_value(value: &str, length: usize) -> Markup {
    html! {
        pre tabindex="0" { (cut(value, LONGEST)) }
        @if length > LONGEST { p .soft { (length - LONGEST) " more are left out; the state has the whole value." } }
    }
}

/// A value from elsewhere: a long one is folded, with its beginning to be seen. Of one that is
/// longer than anybody reads, a part is left out.
pub(super) fn folded(value: &str) -> Markup {
    const LONG: usize = 120;
    let length = value.chars().count();
    if length <= LONG {
        return html! { code { (cut(value, LONG)) } };
    }
    html! {
        details .value {
            summary { code { (cut(value, 60)) } " " span .soft { (length) " characters" } }
            (whole_value(value, length))
        }
    }
}

/// The time between two moments, in the largest unit, with the first of them on hover.
pub(super) fn span(since: Timestamp, now: Timestamp) -> Markup {
    html! { time datetime=(since) title=(exactly(since)) { (in_words(since, now)) } }
}

fn in_words(since: Timestamp, now: Timestamp) -> String {
    let millis = now.as_millis().saturating_sub(since.as_millis());
    let minutes = u64::try_from(millis / 60_000).unwrap_or_default();
    match minutes {
        0 => "less than a minute".to_owned(),
        1..120 => counted(minutes, "minute", "minutes"),
        120..2880 => counted(minutes / 60, "hour", "hours"),
        _ => counted(minutes / 1440, "day", "days"),
    }
}

/// A moment with its zone, for people.
pub(super) fn exactly(at: Timestamp) -> String {
    let here = Zone::here();
    let (day, time) = here.read(at);
    format!("{day} {time} {}", here.offset(at))
}

/// The day of a moment.
pub(super) fn day(at: Timestamp) -> String {
    Zone::here().read(at).0
}

/// A moment as the time since then, or until then, with the moment itself on hover.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> Markup {
    if at > now {
        let until = Timestamp::from_millis(
            now.as_millis()
                .saturating_mul(2)
                .saturating_sub(at.as_millis()),
        );
        let text = in_words(until, now);
        return html! { time datetime=(at) title=(exactly(at)) { "in " (text) } };
    }
    html! { time datetime=(at) title=(exactly(at)) { (in_words(at, now)) " ago" } }
}

/// A number of bytes, for people.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return counted(bytes, "byte", "bytes");
    }
    let (mut tenths, mut unit) = (bytes.saturating_mul(10) / 1024, 0);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    format!(
        "{}.{} {}",
        tenths / 10,
        tenths % 10,
        UNITS.get(unit).copied().unwrap_or_default()
    )
}

/// The page that lists the instances of a type.
pub(super) fn search_for(organization: &str, type_name: &str) -> String {
    let path = format!("/ui/organizations/{organization}/search?");
    let end = path.len();
    form_urlencoded::Serializer::for_suffix(path, end)
        .append_pair("type", type_name)
        .finish()
}

/// The page that lists the instances of a type at a version.
pub(super) fn instances_at(organization: &str, type_name: &str, version: u64) -> String {
    format!("{}&version={version}", search_for(organization, type_name))
}

/// The list of the workspaces that hold instances of a type at a version.
pub(super) fn workspaces_at(organization: &str, type_name: &str, version: u64) -> String {
    let path = format!("/ui/organizations/{organization}?");
    let end = path.len();
    let query = form_urlencoded::Serializer::for_suffix(path, end)
        .append_pair("type", type_name)
        .finish();
    format!("{query}&version={version}")
}

/// A tag of workspaces, as it is written and selected: its key, and its value behind `=` if it has
/// one.
pub(super) fn tag_as_written(key: &str, value: Option<&str>) -> String {
    value.map_or_else(|| key.to_owned(), |value| format!("{key}={value}"))
}

/// The list of the workspaces with a tag.
pub(super) fn workspaces_tagged(organization: &str, tag: &str) -> String {
    let path = format!("/ui/organizations/{organization}?");
    let end = path.len();
    form_urlencoded::Serializer::for_suffix(path, end)
        .append_pair("tag", tag)
        .finish()
}

/// The link to a type: to its page if the registry knows it, and else to its instances.
pub(super) fn type_page(
    registry: &upstate::Registry,
    organization: &str,
    type_name: &str,
) -> String {
    match registry.get(type_name) {
        Some(_) => format!(
            "/ui/organizations/{organization}/types/{}",
            form_urlencoded::byte_serialize(type_name.as_bytes()).collect::<String>()
        ),
        None => search_for(organization, type_name),
    }
}

/// A number with what it counts.
pub(super) fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The status of instances, in a word or two.
pub(super) const fn status(of: InstanceStatus) -> &'static str {
    match of {
        InstanceStatus::Current => "current",
        InstanceStatus::NeedsUpgrade => "needs an upgrade",
        InstanceStatus::CannotUpgrade => "cannot be upgraded",
        InstanceStatus::UnknownType => "unknown type",
        InstanceStatus::Data => "data source",
    }
}

/// The worst status of several; the status that most have comes before those of which nothing is
/// known.
pub(super) fn worst(of: &BTreeSet<InstanceStatus>) -> Option<InstanceStatus> {
    use InstanceStatus::{CannotUpgrade, Current, Data, NeedsUpgrade, UnknownType};
    [CannotUpgrade, NeedsUpgrade, Current, UnknownType, Data]
        .into_iter()
        .find(|status| of.contains(status))
}

/// The status of instances, in their color.
pub(super) fn tag(of: InstanceStatus) -> Markup {
    let class = match of {
        InstanceStatus::Current => "tag good",
        InstanceStatus::NeedsUpgrade => "tag warn",
        InstanceStatus::CannotUpgrade => "tag bad",
        InstanceStatus::UnknownType | InstanceStatus::Data => "tag",
    };
    html! { span class=(class) { (status(of)) } }
}

/// Commands, or another text that people take elsewhere, with a button that copies it. The button
/// needs the script, which shows it; without, the text is selected by one click.
pub(super) fn copied(text: &str) -> Markup {
    html! { div .copied { pre tabindex="0" { code { (text) } } button .quiet type="button" data-copy hidden { "Copy" } } }
}

/// An id, copied as [`copied`] does.
pub(super) fn id(id: &str) -> Markup {
    html! { span .id { "Id " code { (id) } " " button .quiet type="button" data-copy hidden { "Copy" } } }
}

/// A choice of what a list shows, with how many there are.
#[derive(Debug)]
pub(super) struct Chip<'c> {
    pub(super) label: &'c str,
    pub(super) number: u64,
    pub(super) link: String,
    pub(super) is_chosen: bool,
}

/// The choices of what a list shows. Of those that would show nothing, only the chosen one is
/// there.
pub(super) fn chips(name: &str, all: &[Chip<'_>]) -> Markup {
    html! {
        nav .chips aria-label=(name) {
            @for chip in all.iter().filter(|chip| chip.number > 0 || chip.is_chosen) {
                a href=(chip.link) aria-current=[chip.is_chosen.then_some("true")] { (chip.label) " " strong { (chip.number) } }
            }
        }
    }
}

/// The links to the pages of a list.
pub(super) fn pagination(requested: &Requested, page: Page, total: u64) -> Markup {
    let last = total.div_ceil(u64::from(page.size)).max(1);
    let number = u64::from(page.number);
    html! {
        @if last > 1 || number > last {
            nav .pages aria-label="Pages" {
                @if number > last { a href=(requested.with_page(last)) { "The last page" } }
                @else if number > 1 { a rel="prev" href=(requested.with_page(number - 1)) { "Previous" } }
                span { "Page " (number) " of " (last) }
                @if number < last { a rel="next" href=(requested.with_page(number + 1)) { "Next" } }
            }
        }
    }
}
