//! Which kernels an NVIDIA GPU runs to sort, and over which memory.

use emit::cuda::sort::{Arg, Key, Launch, Plan, SORT, Step, Unit, steps};
use expect_test::{Expect, expect};
use kernel::SortKind;
use prim::Width;

const KINDS: [SortKind; 3] = [SortKind::Sort, SortKind::Rank, SortKind::RankDown];
const LENGTHS: [i64; 9] = [0, 1, 2048, 2049, 1 << 20, 100_000_000, (1 << 30) - 1, 1 << 30, 1 << 40];

/// Plans of all kinds and sizes.
fn plans() -> Vec<Plan> {
    let mut plans = vec![];
    for kind in KINDS {
        for key in Key::ALL {
            for length in LENGTHS {
                for segments in [None, Some(0), Some(1), Some(3), Some(1 << 20)] {
                    plans.push(steps(kind, key, Width::W64, length, segments));
                }
            }
        }
    }
    plans
}

fn launches(plan: &Plan) -> impl Iterator<Item = &Launch> {
    plan.steps.iter().filter_map(|step| match step {
        Step::Launch(launch) => Some(launch),
        Step::Clear { .. } => None,
    })
}

/// The steps in short: kernels with the number of blocks.
fn check(plan: &Plan, expected: &Expect) {
    let mut text = String::new();
    for step in &plan.steps {
        text += &match step {
            Step::Clear { temp, bytes } => format!("clear {bytes} of {}\n", plan.temps[*temp]),
            Step::Launch(l) => format!("{} {} x {}, {}\n", l.kernel, l.grid, l.threads, l.shared),
        };
    }
    expected.assert_eq(&text);
}

#[test]
fn nothing_is_done_for_no_keys() {
    let plan = steps(SortKind::Rank, Key::I64, Width::W64, 0, Some(5));
    assert_eq!((plan.temps, plan.steps), (vec![], vec![]));
}

#[test]
fn one_block_sorts_few_keys() {
    let plan = steps(SortKind::Sort, Key::I32, Width::W32, 2048, None);
    check(
        &plan,
        &expect![[r#"
            nesl_sort_near 1 x 1024, 49152
        "#]],
    );
}

#[test]
fn each_byte_of_a_key_is_a_pass() {
    check(
        &steps(SortKind::Sort, Key::F32, Width::W32, 1_000_000, None),
        &expect![[r#"
            clear 122112 of 239104
            nesl_sort_count 114 x 512, 0
            nesl_sort_plan 1 x 128, 0
            nesl_sort_pass 114 x 384, 35328
            nesl_sort_pass 114 x 384, 35328
            nesl_sort_pass 114 x 384, 35328
            nesl_sort_pass 114 x 384, 35328
        "#]],
    );
}

#[test]
fn ranks_of_many_keys_are_delivered() {
    check(
        &steps(SortKind::RankDown, Key::I32, Width::W32, 16_000_000, None),
        &expect![[r#"
            clear 2672896 of 5340672
            nesl_sort_count 528 x 512, 0
            nesl_sort_plan 1 x 128, 0
            nesl_sort_pass 2605 x 384, 24576
            nesl_sort_pass 2605 x 384, 24576
            nesl_sort_pass 2605 x 384, 24576
            nesl_sort_pass 2605 x 384, 24576
            nesl_sort_deliver 3907 x 512, 0
        "#]],
    );
}

#[test]
fn bytes_follow_from_their_counts() {
    check(
        &steps(SortKind::Sort, Key::Byte, Width::W64, 1_000_000, None),
        &expect![[r#"
            clear 2304 of 2560
            nesl_sort_count 114 x 512, 0
            nesl_sort_plan 1 x 32, 0
            nesl_sort_fill 114 x 256, 0
        "#]],
    );
}

#[test]
fn short_and_long_segments_are_found_on_the_device() {
    check(
        &steps(SortKind::Sort, Key::I32, Width::W32, 10_000_000, Some(1_650_000)),
        &expect![[r#"
            clear 1251328 of 33693696
            nesl_sort_heads 4224 x 256, 0
            nesl_sort_near 4883 x 1024, 49152
            nesl_sort_count 528 x 512, 0
            nesl_sort_plan 1056 x 128, 0
            nesl_sort_pass 264 x 384, 35328
            nesl_sort_pass 264 x 384, 35328
            nesl_sort_pass 264 x 384, 35328
            nesl_sort_pass 264 x 384, 35328
        "#]],
    );
}

#[test]
fn segments_of_few_keys_are_all_short() {
    check(
        &steps(SortKind::Rank, Key::F64, Width::W64, 2000, Some(100)),
        &expect![[r#"
            clear 1536 of 1536
            nesl_sort_heads 1 x 256, 0
            nesl_sort_near 1 x 1024, 98304
        "#]],
    );
}

#[test]
fn one_segment_needs_no_offsets() {
    let with = steps(SortKind::Rank, Key::I64, Width::W64, 100_000, Some(1));
    assert_eq!(with, steps(SortKind::Rank, Key::I64, Width::W64, 100_000, None));
}

#[test]
fn the_text_has_the_kernels() {
    for plan in plans() {
        for launch in launches(&plan) {
            assert!(SORT.contains(&format!("\n{}(", launch.kernel)), "{}", launch.kernel);
        }
    }
}

#[test]
fn launches_have_as_many_arguments_as_parameters() {
    for plan in plans() {
        for launch in launches(&plan) {
            let after = SORT.split(&format!("\n{}(", launch.kernel)).nth(1).unwrap();
            let parameters = after.split(')').next().unwrap();
            let count = parameters.split(',').count();
            assert_eq!(launch.args.len(), count, "{}", launch.kernel);
        }
    }
}

#[test]
fn memory_is_inside_its_buffer_and_for_one_thing() {
    for plan in plans() {
        for step in &plan.steps {
            if let Step::Clear { temp, bytes } = step {
                assert!(*bytes > 0 && *bytes <= plan.temps[*temp]);
            }
        }
        let mut places = vec![];
        for arg in launches(&plan).flat_map(|launch| &launch.args) {
            if let Arg::TempAt(temp, at) = *arg {
                assert!(at < plan.temps[temp] && at % 256 == 0);
                places.push((temp, at));
            } else if let Arg::Temp(temp) = *arg {
                assert!(plan.temps[temp] > 0);
                places.push((temp, 0));
            }
        }
        // A buffer is handed over as a whole or in parts, not both.
        for arg in launches(&plan).flat_map(|launch| &launch.args) {
            if let Arg::Temp(temp) = *arg {
                assert!(places.iter().all(|&(other, at)| other != temp || at == 0));
            }
        }
        for temp in 0..plan.temps.len() {
            assert!(places.iter().any(|&(used, _)| used == temp), "buffer {temp} is not used");
        }
    }
}

#[test]
fn no_launch_is_empty_or_too_large() {
    for plan in plans() {
        for launch in launches(&plan) {
            assert!((1..1 << 31).contains(&launch.grid));
            assert!((32..=1024).contains(&launch.threads));
            assert!(launch.shared <= 227 << 10);
        }
    }
}

#[test]
fn units_say_what_they_are_for() {
    let unit = Unit { key: Key::F64, ranks: true, wide: false, int: Width::W64 };
    let text = unit.text();
    let defines: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
    expect![[r#"
        #define NESL_KEY_BYTES 8
        #define NESL_KEY_FLOAT 1
        #define NESL_RANKS 1
        #define NESL_WIDE 0
        #define NESL_INT_BITS 64
        #define NESL_THREADS 384
        #define NESL_ITEMS 12
        #define NESL_BLOCKS 2
        #define NESL_COUNTERS 512
        #define NESL_SORTERS 1024
        #define NESL_DELIVERED 4096
        #define NESL_NEAR 2048
        #define NESL_LOCAL 2097152"#]]
    .assert_eq(&defines.join("\n"));
    assert!(text.ends_with(SORT));
}
