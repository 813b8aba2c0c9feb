mod greet;

fn main() {
    println!("{}", greet::line("world"));
}
