include!(concat!(env!("OUT_DIR"), "/level.rs"));
fn main() { println!("{}", LEVEL); }
