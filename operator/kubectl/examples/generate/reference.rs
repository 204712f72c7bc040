//! The API reference from the CRDs: what `kubectl explain` says, on one page.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray,
};
use std::fmt::Write;

const HEAD: &str = "\
# Reference

<!-- Made by `make generate` from operator/api: do not edit. -->

Durations are written as Go does (`10s`, `1m30s`, `500ms`), numbers as Kubernetes quantities: `100M` is 100,000,000,
`64Ki` is 65,536. Unknown fields are refused.
";

pub fn markdown(crds: &[CustomResourceDefinition]) -> String {
    let mut out = HEAD.to_owned();
    let mut told = Vec::new();
    for crd in crds {
        for version in &crd.spec.versions {
            let Some(root) = version
                .schema
                .as_ref()
                .and_then(|schema| schema.open_api_v3_schema.as_ref())
            else {
                continue;
            };
            let names = &crd.spec.names;
            let _ = write!(
                out,
                "\n## {}\n\n`{}/{}`, short name `{}`. {}\n",
                names.kind,
                crd.spec.group,
                version.name,
                names
                    .short_names
                    .iter()
                    .flatten()
                    .cloned()
                    .collect::<Vec<_>>()
                    .join("`, `"),
                one_line(root.description.as_deref())
            );
            for part in ["spec", "status"] {
                if let Some(schema) = property(root, part) {
                    object(&mut out, &mut told, part, schema);
                }
            }
        }
    }
    out
}

fn property<'a>(schema: &'a JSONSchemaProps, name: &str) -> Option<&'a JSONSchemaProps> {
    schema.properties.as_ref()?.get(name)
}

/// Objects with their place, so that none is told twice.
type Told<'a> = Vec<(String, &'a JSONSchemaProps)>;

/// One section an object: its fields, then the objects in it.
fn object<'a>(out: &mut String, told: &mut Told<'a>, path: &str, schema: &'a JSONSchemaProps) {
    let Some(properties) = schema
        .properties
        .as_ref()
        .filter(|fields| !fields.is_empty())
    else {
        return;
    };
    if let Some((there, _)) = told
        .iter()
        .find(|(_, it)| it.properties == schema.properties)
    {
        // The same place in the kind before.
        let whose = if there == path { "a NetTest's " } else { "" };
        let _ = write!(out, "\n`{path}` has the fields of {whose}`{there}`.\n");
        return;
    }
    told.push((path.to_owned(), schema));
    let _ = write!(out, "\n### {path}\n\n");
    if let Some(text) = &schema.description {
        let _ = write!(out, "{}\n\n", one_line(Some(text)));
    }
    out.push_str("| Field | Type | Default | |\n|---|---|---|---|\n");
    let required = schema.required.as_deref().unwrap_or_default();
    for (name, field) in properties {
        let default = match &field.default {
            _ if required.contains(name) => "required".to_owned(),
            // The fields of an object say theirs.
            Some(value) if !value.0.is_object() => format!("`{}`", value.0).replace('"', ""),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "| `{name}` | {} | {default} | {} |",
            kind(field),
            one_line(field.description.as_deref())
        );
    }
    let rules = schema.x_kubernetes_validations.iter().flatten();
    let rules: Vec<_> = rules.filter_map(|rule| rule.message.as_deref()).collect();
    if !rules.is_empty() {
        out.push_str("\nRules:\n\n");
        for rule in rules {
            let _ = writeln!(out, "- {rule}");
        }
    }
    for (name, field) in properties {
        let below = format!("{path}.{name}");
        if below == "spec.test" {
            let _ = write!(out, "\n`spec.test` has the fields of a NetTest's `spec`.\n");
        } else if name == "conditions" {
            let _ = write!(
                out,
                "\n`{below}`: the usual Kubernetes conditions; reasons are explained in [reasons.md](reasons.md).\n"
            );
        } else if let Some(JSONSchemaPropsOrArray::Schema(item)) = &field.items {
            object(out, told, &format!("{below}[]"), item);
        } else {
            object(out, told, &below, field);
        }
    }
}

fn kind(field: &JSONSchemaProps) -> String {
    if let Some(values) = &field.enum_ {
        let values = values.iter().filter_map(|value| value.0.as_str());
        return values
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>()
            .join(", ");
    }
    let bounds = match (field.minimum, field.maximum) {
        (Some(low), Some(high)) => format!(", {low} to {high}"),
        _ => String::new(),
    };
    match field.type_.as_deref() {
        _ if field.x_kubernetes_int_or_string == Some(true) => "quantity".to_owned(),
        Some("array") => match &field.items {
            Some(JSONSchemaPropsOrArray::Schema(item)) => format!("list of {}", kind(item)),
            _ => "list".to_owned(),
        },
        Some("object") if field.additional_properties.is_some() => "map of strings".to_owned(),
        // The one pattern of durations.
        Some("string")
            if field
                .pattern
                .as_deref()
                .is_some_and(|p| p.contains("(ms|s|m|h)")) =>
        {
            "duration".to_owned()
        }
        Some("string") if field.format.as_deref() == Some("date-time") => "time".to_owned(),
        Some(other) => format!("{other}{bounds}"),
        None => "any".to_owned(),
    }
}

/// A table's cell has no line breaks and no bars.
fn one_line(text: Option<&str>) -> String {
    text.unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}
