//! Writes what is made from the API types: the CRDs (once for `kubectl apply`, once for the chart) and the
//! reference. `hack/generate` calls it.
//!
//! usage: generate FOLDER        (the repository's root)

mod reference;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let Some(root) = std::env::args_os().nth(1) else {
        anyhow::bail!("usage: generate FOLDER");
    };
    let root = Path::new(&root);
    let crds = nettest_api::crdgen::nettest_crds();
    for folder in ["crds", "charts/nettest/files/crds"] {
        let folder = root.join(folder);
        std::fs::create_dir_all(&folder)?;
        for crd in &crds {
            std::fs::write(folder.join(file_name(crd)), serde_yaml::to_string(crd)?)?;
        }
    }
    std::fs::create_dir_all(root.join("docs"))?;
    std::fs::write(root.join("docs/reference.md"), reference::markdown(&crds))?;
    Ok(())
}

fn file_name(crd: &CustomResourceDefinition) -> String {
    format!("{}.{}.yaml", crd.spec.group, crd.spec.names.plural)
}
