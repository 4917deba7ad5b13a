fn main() {
    println!("plain");
}

#[test]
fn writes() {
    std::fs::write("made-by-test.txt", "x").unwrap();
}
