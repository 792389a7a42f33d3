//! Options of operators as the runtime has them.

use proc_macro2::TokenStream;
use quote::quote;

use crate::attr::operators::{Conversion, EmptyText, Existing, Letters, Many, NoElement};

pub(super) fn existing(existing: Existing) -> TokenStream {
    match existing {
        Existing::Unsaid => quote!(__upstate::Existing::Unsaid),
        Existing::Keep => quote!(__upstate::Existing::Keep),
        Existing::Replace => quote!(__upstate::Existing::Replace),
        Existing::Refuse => quote!(__upstate::Existing::Refuse),
    }
}

pub(super) fn empty_text(empty: EmptyText) -> TokenStream {
    match empty {
        EmptyText::Unsaid => quote!(__upstate::EmptyText::Unsaid),
        EmptyText::Null => quote!(__upstate::EmptyText::Null),
        EmptyText::Zero => quote!(__upstate::EmptyText::Zero),
        EmptyText::Refuse => quote!(__upstate::EmptyText::Refuse),
    }
}

pub(super) fn conversion(conversion: Conversion) -> TokenStream {
    match conversion {
        Conversion::Length => quote!(__upstate::Conversion::Length),
        Conversion::Seconds => quote!(__upstate::Conversion::Seconds),
        Conversion::Milliseconds => quote!(__upstate::Conversion::Milliseconds),
        Conversion::Trimmed => quote!(__upstate::Conversion::Trimmed),
    }
}

pub(super) fn many(many: Many) -> TokenStream {
    match many {
        Many::Refuse => quote!(__upstate::Many::Refuse),
        Many::First => quote!(__upstate::Many::First),
    }
}

pub(super) fn no_element(empty: NoElement) -> TokenStream {
    match empty {
        NoElement::Null => quote!(__upstate::NoElement::Null),
        NoElement::Object => quote!(__upstate::NoElement::Object),
        NoElement::Refuse => quote!(__upstate::NoElement::Refuse),
    }
}

pub(super) fn letters(letters: Letters) -> TokenStream {
    match letters {
        Letters::AsIs => quote!(__upstate::Letters::AsIs),
        Letters::Lower => quote!(__upstate::Letters::Lower),
        Letters::Upper => quote!(__upstate::Letters::Upper),
    }
}
