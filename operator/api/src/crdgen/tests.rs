use super::nettest_crds;
#[test]
fn dump() {
    for crd in nettest_crds() {
        println!("---\n{}", serde_yaml::to_string(&crd).unwrap());
    }
}
