//! The C++ of the kernels: as people read it, and the compile-time names in it.

use crate::rig::{Net, options};
use std::collections::BTreeSet;
use ttl::prelude::*;
use ttl::runtime::codegen::{Lines, Source};
use ttl_kernels::dit::k1::Launch;
use ttl_kernels::dit::{ReaderMode, StreamDtype};

fn sources(mode: ReaderMode) -> Vec<Source> {
    let net = Net::new(1, 2, StreamDtype::Bf16, mode);
    let mut mk = net.builder(options(Schedule::RoundRobin)).build().expect("it is allowed");
    mk.upload(&net.pack).expect("it fits");
    let launch = Launch::chain(0, 2, 1);
    let (program, _) = mk.program(&net.input(launch), launch).expect("it is allowed");
    program.sources(Lines::Comments).expect("C++")
}

/// Names behind `constants.` in a text.
fn read(text: &str) -> BTreeSet<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    text.split("constants.").skip(1).map(name).collect()
}

/// Inventory 104, 161: the names that the generated kernels read, and those that a program gives. A kernel that reads a name that `Constants` lacks does not
/// compile, nor does a program that leaves one out; here: none is given that no kernel reads.
#[test]
fn item_161_constants_given_and_read() {
    let direct = sources(ReaderMode::Direct);
    let relay = sources(ReaderMode::Relay);
    let given = {
        let constants = ttl_kernels::dit::k1::plan::Constants {
            banks: 0,
            bank_tiles: 0,
            ring_pages: 0,
            relay_pages: 0,
            ring_depth: 0,
            relay_window: 0,
            receivers: 0,
            mcast_split: 0,
            left_out: 0,
        };
        let text = format!("{constants:?}");
        let fields = text.split(['{', ',']).skip(1).filter_map(|field| field.split(':').next());
        fields.map(|field| field.trim().to_owned()).collect::<BTreeSet<String>>()
    };
    assert_eq!(given.len(), 9);
    let of = |sources: &[Source]| sources.iter().flat_map(|source| read(&source.text)).collect::<BTreeSet<String>>();
    let all: BTreeSet<String> = of(&direct).union(&of(&relay)).cloned().collect();
    assert_eq!(all, given);
    let only_relay: Vec<String> = of(&relay).difference(&of(&direct)).cloned().collect();
    assert_eq!(only_relay, ["relay_pages", "relay_window"]);
}

/// `TTL_UPDATE_GOLDEN=1` writes the files: read the difference.
#[test]
fn golden() {
    for mode in [ReaderMode::Direct, ReaderMode::Relay] {
        crate::files::sources("dit_k1", &sources(mode));
    }
}
