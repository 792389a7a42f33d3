//! Trust in jobs, and their tokens.

use std::collections::BTreeMap;

use upstate_server::__internal::model::{
    Permissions, Place, Project, Token, TokenId, TokenKind, Trust, TrustId, User, UserId,
};

use super::{Shared, at, entry, organization};

pub(crate) async fn jobs_may_what_their_trust_grants(store: Shared) {
    let (acme, other) = (
        organization(&store, "acme").await,
        organization(&store, "other").await,
    );
    let project = Project::default_of(&acme);
    let trust = Trust {
        id: TrustId::new(),
        organization: acme.clone(),
        name: "main".to_owned(),
        issuer: "https://ci.example.com".to_owned(),
        audience: "upstate".to_owned(),
        claims: BTreeMap::from([("sub".to_owned(), "repo:acme/*".parse().expect("a pattern"))]),
        place: Place::Project(project.clone()),
        permissions: Permissions::CLIENT,
        created_at: at(3),
    };
    assert!(store.add_trust(&trust, entry("x")).await.expect("a store"));
    assert!(
        !store
            .add_trust(
                &Trust {
                    id: TrustId::new(),
                    ..trust.clone()
                },
                entry("x")
            )
            .await
            .expect("a store")
    );
    assert_eq!(
        store.trust(&trust.id).await.expect("a store"),
        Some(trust.clone())
    );
    assert_eq!(
        store.trusts(&acme).await.expect("a store"),
        std::slice::from_ref(&trust)
    );
    assert!(store.trusts(&other).await.expect("a store").is_empty());
    let kind = TokenKind::Workload {
        trust: trust.id.clone(),
        organization: acme.clone(),
    };
    let token = |number: u8, ends: i64| Token {
        id: TokenId::new(),
        hash: [number; 32],
        kind: kind.clone(),
        description: String::new(),
        created_at: at(4),
        expires_at: Some(at(ends)),
    };
    assert!(
        store
            .add_token(&token(1, 10), entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        store
            .add_token(&token(2, 20), entry("x"))
            .await
            .expect("a store")
    );
    let principal = store
        .principal(&[1; 32])
        .await
        .expect("a store")
        .expect("a principal");
    assert_eq!(
        (principal.kind.clone(), principal.name.as_str()),
        (kind.clone(), "main")
    );
    assert_eq!(
        principal.permissions_in(&acme, &project),
        Permissions::CLIENT
    );
    assert_eq!(
        (principal.permissions(&acme), principal.permissions(&other)),
        (Permissions::NONE, Permissions::NONE)
    );
    assert_eq!(store.forget_expired(at(15)).await.expect("a store"), 1);
    assert_eq!(store.principal(&[1; 32]).await.expect("a store"), None);
    assert!(
        store
            .remove_trust(&trust.id, entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .remove_trust(&trust.id, entry("x"))
            .await
            .expect("a store")
    );
    assert!(store.tokens().await.expect("a store").is_empty());
    // The trust was removed while the token was made.
    assert!(!matches!(
        store.add_token(&token(3, 20), entry("x")).await,
        Ok(true)
    ));
}

pub(crate) async fn subjects_and_sessions_are_of_users(store: Shared) {
    let acme = organization(&store, "acme").await;
    let user = |name: &str| User {
        id: UserId::new(),
        name: name.to_owned(),
        created_at: at(3),
    };
    let (ann, bob) = (user("ann"), user("bob"));
    for user in [&ann, &bob] {
        assert!(store.add_user(user, entry("x")).await.expect("a store"));
    }
    let issuer = "https://id.example.com";
    let bind = async |user: &User, subject: &str| {
        store
            .bind_subject(&user.id, (issuer, subject), Some(&acme), entry("x"))
            .await
            .expect("a store")
    };
    assert_eq!(
        store.user_of_subject(issuer, "s1").await.expect("a store"),
        None
    );
    // A user has one subject, and a subject one user.
    assert_eq!(
        [
            bind(&ann, "s1").await,
            bind(&ann, "s2").await,
            bind(&bob, "s1").await
        ],
        [true, false, false]
    );
    assert_eq!(
        store.user_of_subject(issuer, "s1").await.expect("a store"),
        Some(ann.id.clone())
    );
    assert_eq!(
        store
            .user_of_subject("https://other.example.com", "s1")
            .await
            .expect("a store"),
        None
    );
    assert!(store.is_user_of(&ann.id, &acme).await.expect("a store"));
    assert!(!store.is_user_of(&bob.id, &acme).await.expect("a store"));
    let session = |number: u8, ends: i64| Token {
        id: TokenId::new(),
        hash: [number; 32],
        kind: TokenKind::Session(ann.id.clone()),
        description: String::new(),
        created_at: at(4),
        expires_at: Some(at(ends)),
    };
    assert!(
        store
            .add_token(&session(1, 10), entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        store
            .add_token(&session(2, 20), entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(store.forget_expired(at(15)).await.expect("a store"), 1);
    let found = store
        .principal(&[2; 32])
        .await
        .expect("a store")
        .expect("a principal");
    assert_eq!(
        (found.kind, found.name.as_str()),
        (TokenKind::Session(ann.id.clone()), "ann")
    );
    assert!(
        store
            .remove_user(&ann.id, None, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(store.principal(&[2; 32]).await.expect("a store"), None);
}

pub(crate) async fn what_is_of_use_once_is_used_once(store: Shared) {
    let secret = store.secret("kept").await.expect("a secret");
    let use_up =
        async |what: &str, until: i64| store.use_up(what, at(until)).await.expect("a store");
    assert_eq!(
        [
            use_up("a", 100).await,
            use_up("b", 200).await,
            use_up("a", 100).await
        ],
        [true, true, false]
    );
    // It is remembered until its time is over, and no longer.
    store.forget_expired(at(150)).await.expect("a store");
    assert_eq!(
        [use_up("b", 200).await, use_up("a", 100).await],
        [false, true]
    );
    store.forget_expired(at(i64::MAX)).await.expect("a store");
    assert_eq!(store.secret("kept").await.expect("a secret"), secret);
}
