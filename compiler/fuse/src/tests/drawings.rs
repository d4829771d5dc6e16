//! Why what is apart is apart, and how it is drawn.

use super::programs::*;
use crate::{Fusion, draw, explain};
use expect_test::{Expect, expect};

/// What is read from memory, and why.
fn check(text: &str, expected: &Expect) {
    let flat = flat::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut told = String::new();
    for drawing in explain(&flat, Fusion::Optimal) {
        for edge in drawing.edges {
            let Some(reason) = edge.apart else { continue };
            told += &format!("{:?} -> {}: {}\n", edge.values, edge.to, reason.why.words());
        }
        for shared in drawing.shared {
            let (a, b) = shared.clusters;
            told += &format!("{a}, {b} read {:?}: {}\n", shared.values, shared.reason.why.words());
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn reasons() {
    check(
        GATHER,
        &expect![[r#"
        [v2] -> 1: it is needed as a whole, or at positions of other lanes
    "#]],
    );
    check(
        TWO_CHAINS,
        &expect![[r#"
        [v2] -> 1: both need all lanes before them, and one needs what the other gives
        [v2] -> 2: something that needs the one and makes what the other needs is between
    "#]],
    );
    check(
        KEPT_LATER,
        &expect![[r#"
        [v4] -> 1: it is needed as a whole, or at positions of other lanes
        [v3, v4] -> 3: something that needs the one and makes what the other needs is between
        [v6] -> 3: kept lanes run with others only where their filter does
        0, 1 read [v1]: it is needed as a whole, or at positions of other lanes
        1, 2 read [v4]: kept lanes run with others only where their filter does
    "#]],
    );
    check(
        HEAVY_VALUES,
        &expect![[r#"
        [v5] -> 1: elementary functions run in vectors, which a scatter does not
    "#]],
    );
    check(
        OWN_BASE,
        &expect![[r#"
        [v4] -> 1: one overwrites what the other reads
        [v5] -> 3: they work over different spaces
        [v5] -> 4: they work over different spaces
        0, 1 read [v1, v3]: one overwrites what the other reads
        2, 3 read [v5]: one overwrites what the other reads
    "#]],
    );
    check(
        LAST_WRITES,
        &expect![[r#"
        [v7] -> 3: every unit runs all lanes of an ordered write, and little else
        [v6] -> 3: it is needed as a whole, or at positions of other lanes
        0, 1 read [v2]: every unit runs all lanes of an ordered write, and little else
        0, 2 read [v1]: something that needs the one and makes what the other needs is between
    "#]],
    );
}

#[test]
fn drawing() {
    let flat = flat::read(SCATTERS).unwrap_or_else(|e| panic!("{e}"));
    let mut picture = base::svg::Picture::default();
    for partition in explain(&flat, Fusion::Optimal) {
        draw(&mut picture, &partition, &|span| format!("{}: \"a\" <- b & c", span.start));
    }
    let drawn = picture.finish();
    expect![[r##"
        <svg xmlns="http://www.w3.org/2000/svg" width="916" height="836" viewBox="0 0 916 836">
        <style>
          text { font: 12px ui-monospace, monospace; fill: #222; }
          .name { font-size: 15px; font-weight: bold; }
          .small, .label { font-size: 10px; fill: #555; }
          .cluster { fill: #eef4fb; stroke: #7fa3cc; }
          .host { fill: #f6f6f6; stroke: #bbb; stroke-dasharray: 2 3; }
          .node { fill: #fff; stroke: #444; }
          .fused { fill: none; stroke: #2a6f3c; stroke-width: 1.5; }
          .memory { fill: none; stroke: #b3541e; stroke-dasharray: 6 4; }
          .given { fill: #f3ead7; stroke: #b08d4a; }
          .made { fill: #e2efe4; stroke: #5b8f68; }
          .step { fill: none; stroke: #ddd; }
        </style>
        <rect width="100%" height="100%" fill="#fff"/>
        <text class="name" x="24" y="42">scatters</text>
        <text class="small" x="24" y="60">3 launches, 32 MiB read, 17 MiB written</text>
        <rect class="cluster" x="24" y="84" width="272" height="176" rx="5"/>
        <text class="label" x="28" y="96">cluster 0</text>
        <rect class="cluster" x="24" y="308" width="248" height="88" rx="5"/>
        <text class="label" x="28" y="320">cluster 1</text>
        <rect class="host" x="24" y="444" width="248" height="88" rx="5"/>
        <rect class="cluster" x="24" y="580" width="248" height="88" rx="5"/>
        <text class="label" x="28" y="592">cluster 3</text>
        <path class="fused" d="M148 148 C148 172 172 172 172 196"/>
        <path class="memory" d="M172 236 C172 284 148 284 148 332"/>
        <path class="memory" d="M148 372 C148 420 148 420 148 468"/>
        <path class="memory" d="M148 508 C148 556 148 556 148 604"/>
        <rect class="node" x="48" y="108" width="200" height="40" rx="5"/>
        <text class="what" x="54" y="124">v3 = map [s1]</text>
        <rect class="node" x="72" y="196" width="200" height="40" rx="5"/>
        <text class="what" x="78" y="212">v4, v5 = permute [s1]</text>
        <text class="small" x="78" y="228">1: &quot;a&quot; &lt;- b &amp; c</text>
        <rect class="node" x="48" y="332" width="200" height="40" rx="5"/>
        <text class="what" x="54" y="348">v6 = write [s1]</text>
        <rect class="node" x="48" y="468" width="200" height="40" rx="5"/>
        <text class="what" x="54" y="484">v7 = sort [s1]</text>
        <rect class="node" x="48" y="604" width="200" height="40" rx="5"/>
        <text class="what" x="54" y="620">v8 = reduce [s1]</text>
        <text class="label" x="48" y="328">v4</text>
        <text class="label" x="48" y="464">v6</text>
        <text class="label" x="48" y="600">v7</text>
        <text class="reason" x="24" y="734">v4, from v4, v5 = permute [s1] (1: &quot;a&quot; &lt;- b &amp; c) to v6 = write [s1]: it is needed as a whole, or at positions of other lanes</text>
        <text class="reason" x="24" y="752">v6, from v6 = write [s1] to v7 = sort [s1]: one of them is a step of its own</text>
        <text class="reason" x="24" y="770">v7, from v7 = sort [s1] to v8 = reduce [s1]: one of them is a step of its own</text>
        </svg>
    "##]].assert_eq(&drawn);
}
