//! The CustomResourceDefinitions, from the types.

use crate::{NetTest, NetTestRun};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// The definitions in the order in which they are written out.
pub fn nettest_crds() -> Vec<CustomResourceDefinition> {
    vec![NetTest::crd(), NetTestRun::crd()]
}

#[cfg(test)]
mod tests;
