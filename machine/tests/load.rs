//! Every kernel of the course loads.

use std::path::Path;
use warpwise_machine::Module;

fn ptx_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_kernel_of_the_course_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels");
    let files = ptx_files(&folder);
    assert!(!files.is_empty());
    for file in files {
        let ptx = std::fs::read_to_string(&file).unwrap();
        let module = Module::parse(&ptx).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert!(!module.kernels().is_empty(), "{}", file.display());
        for kernel in module.kernels() {
            assert!(
                kernel.instructions().iter().any(|i| i.memory.is_some()),
                "{}",
                kernel.name()
            );
            assert!(kernel.max_source_line().known().is_some(), "{}", kernel.name());
        }
    }
}
