use std::{env, fs, path::Path};

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let level = env::var("GEN_LEVEL").unwrap_or_else(|_| "1".into());
    fs::write(Path::new(&out).join("level.rs"), format!("pub const LEVEL: u32 = {};", level)).unwrap();
    println!("cargo:rerun-if-env-changed=GEN_LEVEL");
}
