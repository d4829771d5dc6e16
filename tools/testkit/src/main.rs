//! fuzz
use testkit::agree::{Engine, Lab, LabOptions, Verdict};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let from: u64 = a[1].parse().unwrap();
    let to: u64 = a[2].parse().unwrap();
    let cpu = a.len() > 3;
    value::on_big_stack(|| {
        let mut engines = vec![Engine::Nest, Engine::Flat, Engine::Passes];
        if cpu { engines.push(Engine::Cpu) }
        let mut lab = Lab::new(LabOptions { engines, ..Default::default() });
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        for chunk in (from..to).collect::<Vec<_>>().chunks(16) {
            let texts: Vec<String> = chunk.iter().map(|&s| testkit::generate::program(s).to_string()).collect();
            let vs = lab.check_all(&texts);
            for (seed, v) in chunk.iter().zip(vs) {
                let key = match v {
                    Verdict::Agreed { failed, other_site } => format!("agreed failed={failed} other={other_site}"),
                    Verdict::Skipped(s) => format!("skipped {s}"),
                    Verdict::Rejected(s) => { println!("{seed}: rejected {s}"); "rejected".into() },
                    Verdict::Disagreed(f) => { println!("{seed}: {} {} {}", f.engine, f.kind, f.text.chars().take(400).collect::<String>()); format!("BUG {} {}", f.engine, f.kind) }
                };
                *counts.entry(key).or_default() += 1;
            }
        }
        for (k, n) in counts { println!("{n:6} {k}"); }
    });
}
