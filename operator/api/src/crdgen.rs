//! The CustomResourceDefinitions, from the types.

use crate::{NetTest, NetTestRun};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use kube::CustomResourceExt;

/// The definitions in the order in which they are written out.
pub fn nettest_crds() -> Vec<CustomResourceDefinition> {
    let mut definitions = vec![NetTest::crd(), NetTestRun::crd()];
    for definition in &mut definitions {
        for version in &mut definition.spec.versions {
            if let Some(schema) = version
                .schema
                .as_mut()
                .and_then(|schema| schema.open_api_v3_schema.as_mut())
            {
                forbid_null(schema);
            }
        }
    }
    definitions
}

/// Optional fields become `nullable` on the way through schemars. Without the flag the API server drops an
/// explicit null before it applies defaults and rules, so that `nodeName: null` is the same as no nodeName.
fn forbid_null(schema: &mut JSONSchemaProps) {
    schema.nullable = None;
    for property in schema.properties.iter_mut().flatten() {
        forbid_null(property.1);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items {
        forbid_null(items);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        forbid_null(values);
    }
}

#[cfg(test)]
mod tests;
