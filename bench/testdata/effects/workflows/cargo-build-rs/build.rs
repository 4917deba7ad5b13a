use std::{env, fs, path::Path, process::Command};

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let rev = Command::new("git").args(["rev-parse", "--short", "HEAD"]).output().map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default();
    let channel = env::var("DEMO_CHANNEL").unwrap_or_else(|_| "dev".into());
    fs::write(Path::new(&out).join("rev.txt"), format!("{rev} {channel}")).unwrap();
    println!("cargo:rerun-if-env-changed=DEMO_CHANNEL");
}
