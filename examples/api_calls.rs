//! The functions of TT-Metalium's kernel API that generated C++ may call, one a line: `.ci/api_coverage` compares them with the headers.

fn main() {
    for name in ttl::runtime::codegen::emitted_names() {
        println!("{name}");
    }
}
