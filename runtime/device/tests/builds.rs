//! Compiling, and the cache of what was compiled, when things go wrong.

mod common;

use base::Kind;
use common::{Data, int, launch};
use device::{Cpu, CpuOptions, Device, Module};
use prim::Ty;
use std::fs;
use std::path::{Path, PathBuf};

const TEXT: &str = "
kernel k0 store(a0: i64, a1: out i64) once as x0 x1 x2 {
  store a1 0 a0
}";

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn options() -> CpuOptions {
    CpuOptions { threads: Some(2), ..CpuOptions::default() }
}

fn device(cache: &Path) -> Cpu {
    Cpu::new(&CpuOptions { cache: Some(cache.into()), ..options() })
}

fn works(cpu: &Cpu, module: &Module) {
    let after = launch(cpu, module, 0, &[int(42), Data::room(Ty::I64, 1)]).unwrap();
    assert_eq!(after[1], common::ints([42]));
}

fn entries(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == extension)).collect()
}

#[test]
fn entries_are_used_again() {
    let folder = folder("again");
    works(&device(&folder), &common::load(&device(&folder), TEXT));
    let [entry] = entries(&folder, "so").try_into().unwrap();
    let time = fs::metadata(&entry).unwrap().modified().unwrap();
    works(&device(&folder), &common::load(&device(&folder), TEXT));
    assert_eq!(fs::metadata(&entry).unwrap().modified().unwrap(), time);
    // Another text is another entry, and nothing else is left behind.
    common::load(&device(&folder), &TEXT.replace("a1 0 a0", "a1 0 1"));
    assert_eq!(entries(&folder, "so").len(), 2);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 5);
}

#[test]
fn damaged_entries_are_made_anew() {
    let folder = folder("damaged");
    common::load(&device(&folder), TEXT);
    let [entry] = entries(&folder, "so").try_into().unwrap();
    let good = fs::read(&entry).unwrap();
    let mut bad = good.clone();
    bad[good.len() / 2] ^= 1;
    for bytes in [&good[..100], &[], &bad] {
        fs::remove_file(&entry).unwrap();
        fs::write(&entry, bytes).unwrap();
        let cpu = device(&folder);
        works(&cpu, &common::load(&cpu, TEXT));
        assert_eq!(fs::read(&entry).unwrap(), good);
    }
    fs::write(entry.with_extension("sum"), "nonsense").unwrap();
    works(&device(&folder), &common::load(&device(&folder), TEXT));
}

#[test]
fn a_cache_that_cannot_be_written_is_a_note() {
    let folder = folder("unwritable");
    fs::create_dir_all(&folder).unwrap();
    // A file where the folder should be: also root cannot write into that.
    let file = folder.join("file");
    fs::write(&file, "").unwrap();
    let cpu = device(&file);
    let loaded = common::loaded(&cpu, TEXT);
    works(&cpu, &loaded.module);
    assert_eq!(loaded.notes.len(), 1);
    assert_eq!(loaded.notes[0].kind, Kind::Input);
    // Said once.
    assert!(common::loaded(&cpu, TEXT).notes.is_empty());
}

#[test]
fn a_missing_compiler_is_told() {
    let folder = folder("compiler");
    let program = kernel::read(TEXT).unwrap();
    let text = emit::c(&program, &emit::COptions::default());
    let broken = folder.join("broken");
    fs::create_dir_all(&folder).unwrap();
    fs::write(&broken, "#!/bin/sh\nexit 1\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in ["/nowhere/cc", "no-such-compiler", broken.to_str().unwrap()] {
        let compiler = Some(name.into());
        let cpu = Cpu::new(&CpuOptions { cache: Some(folder.clone()), compiler, ..options() });
        let error = cpu.load(&text).unwrap_err();
        assert_eq!(error.kind, Kind::Input);
        assert!(error.help.iter().any(|h| h.contains("--engine interp")), "{error:?}");
    }
}
