//! Derive macros of upstate (bootstrap, to be replaced).
use proc_macro::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Expr, ExprLit, Fields, Lit, Path, Token, parse_macro_input, punctuated::Punctuated, parse::{Parse, ParseStream}};

struct Kv { key: syn::Ident, value: Option<Expr> }
impl Parse for Kv { fn parse(i: ParseStream) -> syn::Result<Self> {
    use syn::ext::IdentExt;
    let key = syn::Ident::parse_any(i)?; let value = if i.peek(Token![=]) { i.parse::<Token![=]>()?; Some(i.parse()?) } else { None }; Ok(Kv { key, value }) } }
struct Edge { from: u64, model: Path, with: Option<Path> }
impl Parse for Edge { fn parse(i: ParseStream) -> syn::Result<Self> {
    let n: syn::LitInt = i.parse()?; let mut model = None; let mut with = None;
    while i.peek(Token![,]) { i.parse::<Token![,]>()?; if i.is_empty() { break; } let k: syn::Ident = i.parse()?; i.parse::<Token![=]>()?; let p: Path = i.parse()?; if k == "model" { model = Some(p) } else { with = Some(p) } }
    Ok(Edge { from: n.base10_parse()?, model: model.unwrap(), with }) } }
fn text(e: &Expr) -> String { if let Expr::Lit(ExprLit { lit: Lit::Str(s), .. }) = e { s.value() } else { panic!("text") } }
fn doc(attrs: &[syn::Attribute]) -> String { attrs.iter().filter(|a| a.path().is_ident("doc")).filter_map(|a| a.meta.require_name_value().ok().map(|m| text(&m.value))).map(|l| l.strip_prefix(' ').unwrap_or(&l).to_owned()).collect::<Vec<_>>().join("\n") }

#[proc_macro_derive(Resource, attributes(resource, upgrade_from, attribute, block))]
pub fn resource(t: TokenStream) -> TokenStream { expand(parse_macro_input!(t as DeriveInput), true).into() }
#[proc_macro_derive(Object, attributes(object, attribute, block))]
pub fn object(t: TokenStream) -> TokenStream { expand(parse_macro_input!(t as DeriveInput), false).into() }

fn expand(input: DeriveInput, is_resource: bool) -> proc_macro2::TokenStream {
    use syn::ext::IdentExt;
    let rt = quote!(::upstate::__private);
    let name = &input.ident; let name_text = name.to_string();
    let Data::Struct(s) = &input.data else { panic!("struct") }; let Fields::Named(f) = &s.fields else { panic!("named") };
    let mut fields = Vec::new();
    for field in &f.named {
        let ident = field.ident.as_ref().unwrap(); let mut attr = ident.unraw().to_string(); let mut flags = 0_u32; let mut dep = quote!(#rt::Option::None);
        let mut block = None;
        for a in &field.attrs { if a.path().is_ident("attribute") { for kv in a.parse_args_with(Punctuated::<Kv, Token![,]>::parse_terminated).unwrap() { match kv.key.to_string().as_str() { "required" => flags |= 1, "optional" => flags |= 2, "computed" => flags |= 4, "sensitive" => flags |= 8, "name" => attr = text(kv.value.as_ref().unwrap()), "deprecated" => { let v = kv.value; dep = quote!(#rt::Option::Some(#v)); } o => panic!("{o}") } } }
          if a.path().is_ident("block") { let (mut min, mut max) = (quote!(0), quote!(0)); if let syn::Meta::List(_) = &a.meta { for kv in a.parse_args_with(Punctuated::<Kv, Token![,]>::parse_terminated).unwrap() { let v = kv.value; if kv.key == "min" { min = quote!(#v) } else { max = quote!(#v) } } } block = Some((min, max)); } }
        fields.push((attr, ident, &field.ty, flags, dep, doc(&field.attrs), block));
    }
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    let idx: Vec<syn::Index> = (0..fields.len()).map(syn::Index::from).collect();
    let names: Vec<_> = fields.iter().map(|f| &f.0).collect(); let idents: Vec<_> = fields.iter().map(|f| f.1).collect(); let tys: Vec<_> = fields.iter().map(|f| f.2).collect();
    let news = fields.iter().map(|f| { let (n, ty) = (&f.0, f.2); if f.6.is_some() { quote!(#rt::Slot::<#ty>::new_block(#n)) } else { quote!(#rt::Slot::<#ty>::new(#n)) } });
    let atts = fields.iter().zip(&idx).filter(|(f, _)| f.6.is_none()).map(|(f, i)| { let (fl, d, dep) = (f.3, &f.5, &f.4); quote!(__UPSTATE_SLOTS.#i.attribute(#fl, #d, #dep)) });
    let blocks = fields.iter().zip(&idx).filter_map(|(f, i)| { let (min, max) = f.6.as_ref()?; let (d, dep) = (&f.5, &f.4); Some(quote!(__UPSTATE_SLOTS.#i.block(#min, #max, #d, #dep))) });
    let d = doc(&input.attrs);
    let tail = if is_resource {
        let mut version = None; let mut tn = None; let mut oldest = 0_u64; let mut dep = quote!(#rt::Option::None);
        let mut edges = Vec::new();
        for a in &input.attrs {
            if a.path().is_ident("resource") { for kv in a.parse_args_with(Punctuated::<Kv, Token![,]>::parse_terminated).unwrap() { match kv.key.to_string().as_str() {
                "version" => if let Some(Expr::Lit(ExprLit { lit: Lit::Int(i), .. })) = kv.value { version = Some(i.base10_parse::<u64>().unwrap()) }, "type_name" => tn = Some(text(kv.value.as_ref().unwrap())),
                "oldest" => if let Some(Expr::Lit(ExprLit { lit: Lit::Int(i), .. })) = kv.value { oldest = i.base10_parse::<u64>().unwrap() }, "deprecated" => { let v = kv.value; dep = quote!(#rt::Option::Some(#v)); } o => panic!("{o}") } } }
            if a.path().is_ident("upgrade_from") { edges.push(a.parse_args::<Edge>().unwrap()); }
        }
        edges.sort_by_key(|e| e.from);
        let version = version.expect("version");
        let tn = tn.unwrap_or_else(|| { let b = name_text.trim_end_matches(|c: char| c.is_ascii_digit()); let b = if b.len() < name_text.len() { b.strip_suffix('V').unwrap_or(&name_text) } else { &name_text }; let mut o = String::new(); for (i, c) in b.chars().enumerate() { if c.is_uppercase() { if i > 0 { o.push('_') } o.extend(c.to_lowercase()) } else { o.push(c) } } o });
        let es = edges.iter().map(|e| { let (from, m) = (e.from, &e.model); match &e.with { None => quote!(#rt::Edge::<Self>::convert::<#m>(#from)), Some(w) => quote!(#rt::Edge::<Self>::with(#from, &#rt::With::<Self, #m, _>(#w))) } });
        let n = edges.len(); let ei = 0..n; let r = (version - oldest) as usize;
        quote! {
            impl #rt::Resource for #name {
                const TYPE_NAME: &'static str = #tn; const VERSION: u64 = #version;
                const SCHEMA: &'static #rt::Schema = &#rt::Schema::of::<Self>(#version, #d, #dep);
                const EDGES: &'static [#rt::Edge<Self>] = &[#(#es),*];
                const HISTORY: &'static #rt::History = &#rt::History::new(#name_text, #version, #oldest, <Self as #rt::Resource>::SCHEMA, &#rt::steps::<Self, #n>(<Self as #rt::Resource>::EDGES));
                const ROUTES: &'static [u16] = &#rt::routes::<#r>(<Self as #rt::Resource>::HISTORY);
            }
            #(const _: () = #rt::check_model_version(<#name as #rt::Resource>::HISTORY, #ei);)*
            const _: () = #rt::check_every_version_is_reached(<#name as #rt::Resource>::HISTORY);
        }
    } else {
        quote! { impl #rt::AttributeType for #name {
            const TYPE: &'static #rt::Type = &#rt::Type::object_of({ const FIELDS: &[#rt::Field] = &[#(__UPSTATE_SLOTS.#idx.field()),*]; FIELDS });
            const NESTED: #rt::Option<#rt::Nested> = #rt::Option::Some(#rt::Nested::single::<Self>());
            fn decode(reader: &mut #rt::Reader<'_>) -> #rt::Result<Self, #rt::DecodeError> { #rt::read_object(reader) }
            fn encode(&self, writer: &mut #rt::Writer<'_>) { #rt::write_object(self, writer) }
        } }
    };
    quote! {
        #[automatically_derived] #[doc(hidden)]
        const _: () = {
            const __UPSTATE_SLOTS: (#(#rt::Slot<#tys>,)*) = (#(#news,)*);
            impl #rt::Object for #name {
                const NAMES: &'static [&'static str] = &[#(#names),*];
                const ATTRIBUTES: &'static [#rt::Attribute] = &[#(#atts),*];
                const BLOCKS: &'static [#rt::NestedBlock] = &[#(#blocks),*];
                fn decode(object: &mut #rt::ObjectReader<'_, '_>) -> #rt::Result<Self, #rt::DecodeError> { #rt::Result::Ok(Self { #(#idents: object.read(&__UPSTATE_SLOTS.#idx)?,)* }) }
                fn encode(&self, object: &mut #rt::ObjectWriter<'_, '_>) { #(object.write(&__UPSTATE_SLOTS.#idx, &self.#idents);)* }
            }
            #tail
        };
    }
}
