//! `report/src/document.ts` is written after the Rust types of a page, so that a field is typed in one place.
//! What serde is told of them that is not known here is an error, and not left out.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, PathArguments, Token, Type, Variant};

use super::Finding;

const PAGE: &str = "report/src/document.ts";

/// Where the types are, in the order of the page.
const SOURCES: [&str; 6] = [
    "crates/show/src/html/document.rs",
    "crates/show/src/html/dense.rs",
    "crates/analysis/src/conclusion.rs",
    "crates/analysis/src/reading/item.rs",
    "crates/analysis/src/reading/table.rs",
    "crates/analysis/src/reading/chart.rs",
];

/// Writes the page again.
pub fn renew(root: &Path) -> Result<()> {
    fs::write(root.join(PAGE), read(root)?).context(PAGE)
}

/// Whether the page is what the types say.
pub fn check(root: &Path) -> Result<Vec<Finding>> {
    let written = fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let finding =
        Finding::new(PAGE, 1, "typescript", "not what the Rust types say", "run `cargo xtask typescript`");
    Ok(if written == read(root)? { Vec::new() } else { vec![finding] })
}

fn read(root: &Path) -> Result<String> {
    let mut page =
        String::from("// What a report says, as data. Written by `cargo xtask typescript` after:\n");
    SOURCES.iter().for_each(|path| page += &format!("//   {path}\n"));
    for path in SOURCES {
        let text = fs::read_to_string(root.join(path)).context(path)?;
        page += &types(&text).context(path)?;
    }
    Ok(page)
}

/// The types of a source that are serialized, in TypeScript.
fn types(source: &str) -> Result<String> {
    let mut out = String::new();
    for item in syn::parse_file(source)?.items {
        match item {
            Item::Const(one) if one.ident == "DOCUMENT_VERSION" => {
                let Expr::Lit(value) = *one.expr else { bail!("{} is no literal", one.ident) };
                let Lit::Int(value) = value.lit else { bail!("{} is no number", one.ident) };
                out += &format!("\nexport const {} = {value};\n", one.ident);
            }
            Item::Struct(one) if is_serialized(&one.attrs) => {
                out += &format!("\nexport interface {} {{\n{}}}\n", one.ident, fields(&one.fields)?);
            }
            Item::Enum(one) if is_serialized(&one.attrs) => {
                let serde = Serde::of(&one.attrs)?;
                out += &match &serde.tag {
                    Some(tag) => tagged(&one.ident.to_string(), tag, one.variants.iter())?,
                    None => {
                        let words: Vec<String> = one.variants.iter().map(quoted).collect();
                        format!("\nexport type {} = {};\n", one.ident, words.join(" | "))
                    }
                };
            }
            _ => {}
        }
    }
    Ok(out)
}

/// A type for each variant, and one for all.
fn tagged<'a>(name: &str, tag: &str, variants: impl Iterator<Item = &'a Variant>) -> Result<String> {
    let (mut out, mut names) = (String::new(), Vec::new());
    for variant in variants {
        let (own, word) = (format!("{}{name}", variant.ident), quoted(variant));
        out += &match &variant.fields {
            Fields::Unnamed(of) if of.unnamed.len() == 1 => {
                format!("\nexport type {own} = {{ {tag}: {word} }} & {};\n", written(&of.unnamed[0].ty)?)
            }
            named => format!("\nexport interface {own} {{\n    {tag}: {word};\n{}}}\n", fields(named)?),
        };
        names.push(own);
    }
    let all = names.iter().map(|name| format!("\n    | {name}")).collect::<String>();
    Ok(format!("{out}\nexport type {name} ={all};\n"))
}

/// A variant's name as serde writes it.
fn quoted(variant: &Variant) -> String {
    let snake = |(at, c): (usize, char)| {
        let low = c.to_ascii_lowercase();
        if c.is_ascii_uppercase() && at > 0 { format!("_{low}") } else { low.to_string() }
    };
    format!("'{}'", variant.ident.to_string().chars().enumerate().map(snake).collect::<String>())
}

fn fields(fields: &Fields) -> Result<String> {
    let line = |field: &syn::Field| {
        let name = field.ident.as_ref().context("a field without a name")?;
        let typed = written(&field.ty)?;
        Ok(match Serde::of(&field.attrs)?.may_be_missing {
            true => format!("    {name}?: {};\n", typed.trim_end_matches(" | null")),
            false => format!("    {name}: {typed};\n"),
        })
    };
    fields.iter().map(line).collect()
}

/// A type in TypeScript.
fn written(of: &Type) -> Result<String> {
    Ok(match of {
        Type::Reference(of) => written(&of.elem)?,
        Type::Tuple(of) => {
            let parts = of.elems.iter().map(written).collect::<Result<Vec<_>>>()?;
            format!("[{}]", parts.join(", "))
        }
        Type::Array(of) => {
            let Expr::Lit(length) = &of.len else { bail!("a length that is no literal") };
            let Lit::Int(length) = &length.lit else { bail!("a length that is no number") };
            format!("[{}]", vec![written(&of.elem)?; length.base10_parse()?].join(", "))
        }
        Type::Path(of) => {
            let last = of.path.segments.last().context("an empty path")?;
            let inner = || match &last.arguments {
                PathArguments::AngleBracketed(inner) => match inner.args.first() {
                    Some(GenericArgument::Type(inner)) => written(inner),
                    _ => bail!("{} of no type", last.ident),
                },
                _ => bail!("{} of nothing", last.ident),
            };
            match last.ident.to_string().as_str() {
                "String" | "str" => "string".into(),
                "bool" => "boolean".into(),
                "u8" | "u16" | "u32" | "u64" | "usize" | "f64" => "number".into(),
                "Option" => format!("{} | null", inner()?),
                "Vec" => match inner()? {
                    inner if inner.contains(" | ") => format!("({inner})[]"),
                    inner => format!("{inner}[]"),
                },
                name => name.into(),
            }
        }
        _ => bail!("a kind of type that is not known here"),
    })
}

fn is_serialized(attributes: &[Attribute]) -> bool {
    let derives = attributes.iter().filter(|attribute| attribute.path().is_ident("derive"));
    let paths = derives
        .filter_map(|of| of.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated).ok());
    paths.flatten().any(|path| path.is_ident("Serialize"))
}

/// What serde is told of a type or a field.
#[derive(Default)]
struct Serde {
    tag: Option<String>,
    may_be_missing: bool,
}

impl Serde {
    fn of(attributes: &[Attribute]) -> Result<Serde> {
        let mut found = Serde::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let value: syn::LitStr = meta.value()?.parse()?;
                match meta.path.get_ident().map(ToString::to_string).as_deref() {
                    Some("tag") => found.tag = Some(value.value()),
                    Some("rename_all") if value.value() == "snake_case" => {}
                    Some("skip_serializing_if") => found.may_be_missing = true,
                    _ => return Err(meta.error("not known to `cargo xtask typescript`")),
                }
                Ok(())
            })?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_variants_are_written_as_serde_writes_them() {
        let source = r#"
            #[derive(Debug, Serialize)]
            pub struct Point {
                pub x: f64,
                pub y: Option<f64>,
                #[serde(skip_serializing_if = "Option::is_none")]
                pub ends: Option<[f64; 2]>,
                pub regimes: Vec<(u64, f64)>,
                pub values: Vec<Option<f64>>,
            }
            #[derive(Debug, Serialize)]
            #[serde(tag = "block", rename_all = "snake_case")]
            pub enum Block { Text { text: String }, HeatMap(Heat) }
            #[derive(Serialize)]
            #[serde(rename_all = "snake_case")]
            pub enum Look { Line, Bars }
            #[derive(Debug)]
            pub struct Inner { pub hidden: u8 }"#;
        let expected = "
export interface Point {
    x: number;
    y: number | null;
    ends?: [number, number];
    regimes: [number, number][];
    values: (number | null)[];
}

export interface TextBlock {
    block: 'text';
    text: string;
}

export type HeatMapBlock = { block: 'heat_map' } & Heat;

export type Block =
    | TextBlock
    | HeatMapBlock;

export type Look = 'line' | 'bars';
";
        assert_eq!(types(source).unwrap(), expected);
    }

    #[test]
    fn what_serde_does_otherwise_is_refused() {
        assert!(types("#[derive(Serialize)] struct A { #[serde(rename = \"b\")] a: u8 }").is_err());
        assert!(types("#[derive(Serialize)] struct A { a: fn() }").is_err());
    }
}
