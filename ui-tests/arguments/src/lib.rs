//! The command line of the compiler, for a test that compiles its cases with the very libraries that it is linked with.

use proc_macro::{Delimiter, Group, Literal, Punct, Spacing, TokenStream, TokenTree};

/// `["rustc", "--crate-name", …]`, as it was for the crate in which this is written.
#[proc_macro]
pub fn arguments(_: TokenStream) -> TokenStream {
    let each = std::env::args_os().flat_map(|argument| {
        let argument = Literal::string(&argument.to_string_lossy());
        [
            TokenTree::from(argument),
            Punct::new(',', Spacing::Alone).into(),
        ]
    });
    TokenTree::from(Group::new(Delimiter::Bracket, each.collect())).into()
}
