//! Core sets and the core map.

use ttl::prelude::Core;
use ttl_kernels::dit::core_set::{group_of, rank12, row_of_core};
use ttl_kernels::dit::*;

const SCALES: [u32; 4] = [1, 2, 4, 8];

#[test]
fn item_041_sets_have_the_order_of_the_kernels() {
    assert_eq!(CoreSet::SETS.map(CoreSet::label), ["all96", "first32", "even48", "leads8"]);
    assert_eq!(CoreSet::SETS.map(|set| set as u32), [0, 1, 2, 3]);
    assert_eq!(CoreSet::from_label("even48").unwrap(), CoreSet::Even);
}

#[test]
fn item_054_roles_cover_the_grid() {
    for banks in SCALES {
        let cfg = DitConfig::scaled(Version::N15, banks, 4).unwrap();
        let map = CoreMap::simulated(&cfg);
        assert_eq!((map.n_compute(), map.readers().len() as u32), (12 * banks, banks));
        let mut counts = [0; 4];
        for core in map.all().iter() {
            match map.role(core).unwrap() {
                CoreRole::Compute(c) => {
                    assert_eq!(map.compute()[c as usize], core);
                    assert_eq!(map.compute_idx_of(core).unwrap(), c);
                    counts[0] += 1;
                }
                CoreRole::Reader(_) => counts[1] += 1,
                CoreRole::Hub => counts[2] += 1,
                CoreRole::Spare => counts[3] += 1,
            }
        }
        assert_eq!(counts, [12 * banks, banks, 1, map.n_cores() - 13 * banks - 1]);
        assert_eq!(counts[3] as usize, map.spares().len());
        let (width, height) = map.grid();
        assert_eq!(map.linear_id(Core::new(width - 1, height - 1)).unwrap(), map.n_cores() - 1);
        assert_eq!(map.linear_id(Core::new(0, 1)).unwrap(), width);
    }
    let map = CoreMap::simulated(&DitConfig::n15());
    assert_eq!((map.n_compute(), map.n_cores()), (96, 110));
    assert_eq!((map.hub(), map.readers()[7], map.compute()[95]), (Core::new(10, 8), Core::new(10, 7), Core::new(9, 5)));
    let spares = [(9, 6), (9, 7), (9, 8), (9, 9), (10, 9)].map(|(x, y)| Core::new(x, y));
    assert_eq!(map.spares(), spares);
    let small = CoreMap::simulated(&DitConfig::scaled(Version::N15, 1, 4).unwrap());
    assert_eq!(
        (small.compute()[11], small.readers()[0], small.hub()),
        (Core::new(5, 1), Core::new(6, 0), Core::new(6, 1))
    );
    assert_eq!(map.compute_idx_of(Core::new(10, 8)).unwrap_err().to_string(), "core(10,8) is no compute core but Hub");
    assert_eq!(map.role(Core::new(11, 0)).unwrap_err().to_string(), "core(11,0) lies outside of the grid of 11x10");
}

#[test]
fn item_054_readers_of_the_runtime() {
    let cfg = DitConfig::n15();
    let simulated = CoreMap::simulated(&cfg);
    assert_eq!(CoreMap::from_dram_workers(&cfg, simulated.readers()).unwrap(), simulated);
    // As on a card: readers inside of the grid.
    let workers: Vec<Core> = (0..8).map(|bank| Core::new(if bank < 4 { 0 } else { 7 }, 2 * (bank % 4) + 1)).collect();
    let map = CoreMap::from_dram_workers(&cfg, &workers).unwrap();
    assert_eq!(map.compute()[1], Core::new(0, 2));
    assert_eq!((map.n_compute(), map.spares().len()), (96, 5));
    assert!(workers.iter().all(|&core| matches!(map.role(core), Ok(CoreRole::Reader(_)))));
    let text = |workers: &[Core]| CoreMap::from_dram_workers(&cfg, workers).unwrap_err().to_string();
    assert_eq!(text(&workers[..7]), "7 readers for 8 banks; there is one per bank");
    let mut twice = workers.clone();
    twice[5] = twice[2];
    assert_eq!(text(&twice), "core(0,5) is the reader of banks 2 and 5");
    twice[5] = Core::new(3, 10);
    assert_eq!(text(&twice), "core(3,10) lies outside of the grid of 11x10");
}

#[test]
fn item_055_bank_groups() {
    for banks in SCALES {
        let mut cores = vec![0; banks as usize];
        for c in 0..12 * banks {
            let (row, bank, col) = (c / (4 * banks), c % (4 * banks) / 4, c % 4);
            assert_eq!(c, 4 * banks * row + 4 * bank + col);
            assert_eq!(group_of(banks, c), bank);
            cores[bank as usize] += 1;
        }
        assert!(cores.iter().all(|&n| n == 12));
    }
    // As the original has it at full size.
    assert!((0..96).all(|c| group_of(8, c) == (c & 31) >> 2));
}

#[test]
fn item_056_participants() {
    let members = |set: CoreSet, banks| set.members(banks).collect::<Vec<_>>();
    assert_eq!(members(CoreSet::All, 8), (0..96).collect::<Vec<_>>());
    assert_eq!(members(CoreSet::First, 8), (0..32).collect::<Vec<_>>());
    assert_eq!(members(CoreSet::Even, 8), (0..96).step_by(2).collect::<Vec<_>>());
    for banks in SCALES {
        for set in CoreSet::SETS {
            assert_eq!(members(set, banks).len() as u32, set.cores(banks));
        }
    }
    let text = CoreSet::from_label("odd48").unwrap_err().to_string();
    assert_eq!(text, "no core set \"odd48\"; there are all96, first32, even48, leads8");
}

#[test]
fn item_057_slots() {
    for banks in SCALES {
        for set in CoreSet::SETS {
            // Slots number the members: each slice of the columns has one core.
            let slots: Vec<u32> = set.members(banks).map(|c| set.slot_of(banks, c).unwrap()).collect();
            assert_eq!(slots, (0..set.cores(banks)).collect::<Vec<_>>());
        }
    }
    assert_eq!(CoreSet::Even.slot_of(8, 94).unwrap(), 47);
    assert_eq!(CoreSet::Even.slot_of(8, 3).unwrap_err().to_string(), "core 3 is not in even48 (of 96 compute cores)");
    assert_eq!(CoreSet::All.slot_of(8, 96).unwrap_err().to_string(), "core 96 is not in all96 (of 96 compute cores)");
    assert_eq!(CoreSet::First.slot_of(1, 4).unwrap_err().to_string(), "core 4 is not in first32 (of 12 compute cores)");
}

#[test]
fn item_058_ranks() {
    for c in 0..96 {
        assert_eq!(CoreSet::All.rank_of(8, c).unwrap(), 4 * (c >> 5) + (c & 3));
        if c < 32 {
            assert_eq!(CoreSet::First.rank_of(8, c).unwrap(), c & 3);
        }
        if c % 2 == 0 {
            assert_eq!(CoreSet::Even.rank_of(8, c).unwrap(), 2 * (c >> 5) + ((c & 3) >> 1));
        }
    }
    assert_eq!(
        CoreSet::First.rank_of(8, 32).unwrap_err().to_string(),
        "core 32 is not in first32 (of 96 compute cores)"
    );
}

#[test]
fn item_059_members_are_the_inverse_of_ranks() {
    for banks in SCALES {
        for set in CoreSet::SETS {
            let mut seen = vec![false; 12 * banks as usize];
            for bank in 0..banks {
                for r in 0..set.per_bank() {
                    let c = set.member_core(banks, bank, r).unwrap();
                    assert!(set.participates(banks, c) && !seen[c as usize]);
                    assert_eq!((group_of(banks, c), set.rank(banks, c)), (bank, r));
                    seen[c as usize] = true;
                }
            }
            assert_eq!(seen.iter().filter(|&&s| s).count() as u32, set.cores(banks));
        }
    }
    assert_eq!(CoreSet::Even.member_core(8, 3, 5).unwrap(), 32 * 2 + 4 * 3 + 2);
    let text = CoreSet::Even.member_core(8, 8, 0).unwrap_err().to_string();
    assert_eq!(text, "even48 has no member 0 of bank 8; there are 8 banks of 6");
    assert!(CoreSet::Leads.member_core(8, 0, 1).is_err());
}

#[test]
fn item_060_credit_words() {
    for c in 0..96 {
        assert_eq!(rank12(8, c), 4 * (c >> 5) + (c & 3));
    }
    let map = CoreMap::simulated(&DitConfig::scaled(Version::N15, 2, 4).unwrap());
    for bank in 0..2 {
        let words: Vec<u32> = (0..24).filter(|&c| map.group_of(c) == bank).map(|c| map.rank12(c)).collect();
        assert_eq!(words, (0..12).collect::<Vec<_>>());
    }
}

#[test]
fn item_061_leads() {
    let leads: Vec<u32> = CoreSet::Leads.members(8).collect();
    assert_eq!(leads, [0, 4, 8, 12, 16, 20, 24, 28]);
    for (slot, &c) in leads.iter().enumerate() {
        assert_eq!((CoreSet::Leads.rank_of(8, c).unwrap(), CoreSet::Leads.slot_of(8, c).unwrap()), (0, slot as u32));
    }
    assert_eq!(
        CoreSet::Leads.slot_of(8, 36).unwrap_err().to_string(),
        "core 36 is not in leads8 (of 96 compute cores)"
    );
}

#[test]
fn item_062_rows_of_cores() {
    assert!((0..96).all(|c| row_of_core(8, c) == u32::from(c >= 48)));
    assert!((0..12).all(|c| row_of_core(1, c) == u32::from(c >= 6)));
}

#[test]
fn item_063_shard_order_is_not_compute_order() {
    for banks in SCALES {
        let map = CoreMap::simulated(&DitConfig::scaled(Version::N15, banks, 4).unwrap());
        let order = map.shard_order();
        let cores: Vec<Core> = map.compute_set().iter().collect();
        // The runtime walks a set of cores row by row.
        map.check_shard_order(&cores).unwrap();
        assert!(order.iter().zip(&cores).all(|(&c, &core)| map.compute()[c as usize] == core));
        assert_ne!(order, (0..12 * banks).collect::<Vec<_>>(), "compute order would do: nothing is tested");
        let text = map.check_shard_order(map.compute()).unwrap_err().to_string();
        assert_eq!(
            text,
            "the runtime's shard order of the compute cores differs from the core map's row-major order: shard 1 lies on core(0,1), not on core(1,0)"
        );
        assert!(map.check_shard_order(&cores[1..]).is_err());
    }
}

#[test]
fn item_064_coordinates_are_two_bytes() {
    assert_eq!(noc_word(Core::new(16, 11)).unwrap(), 16 | 11 << 8);
    assert_eq!(noc_word(Core::new(255, 255)).unwrap(), 0xFFFF);
    assert_eq!(noc_word(Core::new(1, 256)).unwrap_err().to_string(), "NoC coordinate 256 does not fit a byte");
}
