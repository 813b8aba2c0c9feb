fn main() {
    println!("cargo:rustc-env=GREETING=hello");
}
