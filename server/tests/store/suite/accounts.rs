//! Organizations, users, teams and tokens.

use std::sync::Arc;

use upstate_server::__internal::model::{
    Organization, OrganizationId, Permission, Permissions, Team, TeamId, Token, TokenId, TokenKind,
    User, UserId,
};
use upstate_server::__internal::store::NewOwner;

use super::{Shared, added, at, entry, new_workspace, organization};

pub(crate) async fn names_are_taken_once(store: Shared) {
    let acme = organization(&store, "acme").await;
    let again = Organization {
        id: OrganizationId::new(),
        name: "acme".to_owned(),
        created_at: at(2),
    };
    assert!(
        !store
            .add_organization(&again, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(
        store
            .organization("acme")
            .await
            .expect("a store")
            .expect("one")
            .id,
        acme
    );
    assert_eq!(store.organization("nobody").await.expect("a store"), None);
    assert_eq!(
        store
            .organization_by_id(&acme)
            .await
            .expect("a store")
            .expect("one")
            .name,
        "acme"
    );
    let other = organization(&store, "other").await;

    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    assert!(
        !store
            .add_user(
                &User {
                    id: UserId::new(),
                    ..user.clone()
                },
                entry("x")
            )
            .await
            .expect("a store")
    );
    assert_eq!(
        store.user("ann").await.expect("a store"),
        Some(user.clone())
    );
    assert_eq!(
        store.user_by_id(&user.id).await.expect("a store"),
        Some(user)
    );

    let workspace = new_workspace(&acme, "net");
    assert!(added(&store, &workspace).await);
    assert!(!added(&store, &new_workspace(&acme, "net")).await);
    assert!(added(&store, &new_workspace(&other, "net")).await);
    assert_eq!(
        store.workspace(&acme, "net").await.expect("a store"),
        Some(workspace)
    );
    let names: Vec<_> = store
        .organizations()
        .await
        .expect("a store")
        .into_iter()
        .map(|one| one.name)
        .collect();
    assert_eq!(names, ["acme", "other"]);
}

pub(crate) async fn tokens_grant_what_their_owners_may(store: Shared) {
    let (acme, other) = (
        organization(&store, "acme").await,
        organization(&store, "other").await,
    );
    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    let team = Team {
        id: TeamId::new(),
        organization: acme.clone(),
        name: "ops".to_owned(),
        permissions: Permissions::READ,
    };
    assert!(store.add_team(&team, entry("x")).await.expect("a store"));
    assert!(
        !store
            .add_team(
                &Team {
                    id: TeamId::new(),
                    ..team.clone()
                },
                entry("x")
            )
            .await
            .expect("a store")
    );
    let lock = Permissions::NONE.with(Permission::Lock);
    let kinds = [
        TokenKind::User(user.id.clone()),
        TokenKind::Member {
            user: user.id.clone(),
            organization: other.clone(),
            within: lock,
        },
        TokenKind::Team(team.id.clone()),
        TokenKind::Organization(acme.clone()),
        TokenKind::Member {
            user: user.id.clone(),
            organization: acme.clone(),
            within: lock.with(Permission::ReadState),
        },
        TokenKind::Member {
            user: user.id.clone(),
            organization: other.clone(),
            within: Permissions::ALL,
        },
    ];
    let mut tokens = Vec::new();
    for (number, kind) in (0u8..).zip(kinds) {
        let token = Token {
            id: TokenId::new(),
            hash: [number; 32],
            kind,
            description: "d".to_owned(),
            created_at: at(i64::from(number)),
            expires_at: (number == 2).then(|| at(77)),
        };
        assert!(store.add_token(&token, entry("x")).await.expect("a store"));
        tokens.push(token);
    }
    let same_hash = Token {
        id: TokenId::new(),
        ..tokens[0].clone()
    };
    assert!(
        !store
            .add_token(&same_hash, entry("x"))
            .await
            .expect("a store")
    );

    let grants = |hash: u8| {
        let store = Arc::clone(&store);
        async move {
            store
                .principal(&[hash; 32])
                .await
                .expect("a store")
                .expect("a principal")
        }
    };
    assert!(grants(0).await.grants.is_empty());
    store
        .set_member(&team.id, &user.id, true, entry("x"))
        .await
        .expect("a store");
    assert_eq!(grants(0).await.permissions(&acme), Permissions::READ);
    for (id, is_there) in [(&team.id, true), (&TeamId::new(), false)] {
        assert_eq!(
            store
                .set_team_permissions(id, Permissions::ALL, entry("x"))
                .await
                .expect("a store"),
            is_there
        );
    }
    assert_eq!(grants(0).await.permissions(&acme), Permissions::ALL);
    assert_eq!(
        grants(4).await.permissions(&acme),
        lock.with(Permission::ReadState)
    );
    assert_eq!(grants(5).await.permissions(&acme), Permissions::NONE);
    assert_eq!(
        store.principal_of(&tokens[4].id).await.expect("a store"),
        Some(grants(4).await)
    );
    assert_eq!(
        store.principal_of(&TokenId::new()).await.expect("a store"),
        None
    );
    assert!(store.is_user_of(&user.id, &acme).await.expect("a store"));
    assert!(
        !store
            .is_user_of(&UserId::new(), &acme)
            .await
            .expect("a store")
    );
    assert!(grants(1).await.grants.is_empty());
    assert_eq!(
        (grants(2).await.name, grants(2).await.expires_at),
        ("ops".to_owned(), Some(at(77)))
    );
    assert_eq!(grants(3).await.permissions(&acme), Permissions::READ);
    assert_eq!(grants(3).await.name, "acme");
    store
        .set_member(&team.id, &user.id, false, entry("x"))
        .await
        .expect("a store");
    assert!(grants(0).await.grants.is_empty() && grants(4).await.grants.is_empty());

    let listed = store.tokens().await.expect("a store");
    tokens.reverse();
    assert_eq!(listed, tokens);
    assert!(
        store
            .remove_token(&tokens[0].id, entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .remove_token(&tokens[0].id, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(store.principal(&[5; 32]).await.expect("a store"), None);
    // It stays revoked, though its secret comes again.
    let again = Token {
        id: TokenId::new(),
        ..tokens[0].clone()
    };
    assert!(!store.add_token(&again, entry("x")).await.expect("a store"));
    assert_eq!(store.principal(&[5; 32]).await.expect("a store"), None);
    // A team goes with its tokens and leaves its members alone.
    store
        .set_member(&team.id, &user.id, true, entry("x"))
        .await
        .expect("a store");
    assert!(
        store
            .remove_team(&team.id, entry("x"))
            .await
            .expect("a store")
    );
    assert!(
        !store
            .remove_team(&team.id, entry("x"))
            .await
            .expect("a store")
    );
    assert_eq!(store.principal(&[2; 32]).await.expect("a store"), None);
    assert!(store.members(&team.id).await.expect("a store").is_empty());
    assert!(grants(0).await.grants.is_empty());
}

pub(crate) async fn the_first_token_is_added_once(store: Shared) {
    let acme = organization(&store, "acme").await;
    let user = User {
        id: UserId::new(),
        name: "ann".to_owned(),
        created_at: at(3),
    };
    assert!(store.add_user(&user, entry("x")).await.expect("a store"));
    let owner = |number: u8| {
        let token = Token {
            id: TokenId::new(),
            hash: [number; 32],
            kind: TokenKind::Member {
                user: user.id.clone(),
                organization: acme.clone(),
                within: Permissions::ALL,
            },
            description: String::new(),
            created_at: at(1),
            expires_at: None,
        };
        let team = Team {
            id: TeamId::new(),
            organization: acme.clone(),
            name: "owners".to_owned(),
            permissions: Permissions::ALL,
        };
        NewOwner {
            token: (token, entry("x")),
            only_first: true,
            team: (team, entry("x")),
            user: (user.id.clone(), entry("x")),
        }
    };
    let added = async |owner: NewOwner| store.add_owner(&owner).await.expect("a store");
    // All of it or nothing: an organization whose owner has a token, and no team, has no owner.
    let mut of_nobody = owner(7);
    of_nobody.user.0 = UserId::new();
    assert!(store.add_owner(&of_nobody).await.is_err());
    assert!(store.tokens().await.expect("a store").is_empty());
    assert!(store.teams(&acme).await.expect("a store").is_empty());

    let mut racing = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (store, owner) = (Arc::clone(&store), owner(number));
        racing.spawn(async move { store.add_owner(&owner).await.expect("a store") });
    }
    let each = racing.join_all().await;
    assert_eq!(each.iter().filter(|added| **added).count(), 1);
    let last = store.tokens().await.expect("a store");
    assert_eq!(last.len(), 1);
    let teams = store.teams(&acme).await.expect("a store");
    let members = store.members(&teams[0].id).await.expect("a store");
    assert_eq!((teams.len(), members), (1, vec![user.clone()]));

    // Who left the team stays out of it, unless there is no token any more, or one is given.
    store
        .set_member(&teams[0].id, &user.id, false, entry("x"))
        .await
        .expect("a store");
    assert!(!added(owner(9)).await);
    let of_owner = async |hash: u8| {
        let found = store.principal(&[hash; 32]).await.expect("a store");
        found.map(|found| found.permissions(&acme))
    };
    assert_eq!(of_owner(last[0].hash[0]).await, Some(Permissions::NONE));
    assert!(
        store
            .remove_token(&last[0].id, entry("x"))
            .await
            .expect("a store")
    );
    assert!(added(owner(9)).await);
    assert_eq!(of_owner(9).await, Some(Permissions::ALL));
    let mut given = owner(10);
    given.only_first = false;
    assert!(added(given.clone()).await);
    assert!(!added(given).await);
    assert_eq!(store.teams(&acme).await.expect("a store"), teams);
}
