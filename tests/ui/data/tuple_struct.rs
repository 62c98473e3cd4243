#![allow(unused)]

use ttl::prelude::*;

#[ttl::device]
struct Ends(CbIn<bf16>, CbOut<bf16>);

fn main() {}
