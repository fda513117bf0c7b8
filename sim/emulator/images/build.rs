//! Links the images again when the linker script changes, which cargo does not see by itself.

fn main() {
    println!("cargo::rerun-if-changed=../../../memory.x");
}
