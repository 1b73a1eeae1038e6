use super::*;
use crate::reach::Reached;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Strings behind tables, as in a real program: functions reach them through other constants.
const PROGRAM: &str = r#"
#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
static GREETINGS: [&str; 2] = ["good morning", "good evening"];
static FAREWELLS: [&str; 2] = ["see you soon", "until tomorrow"];
static NUMBERS: [u32; 4] = [0x0c0c0c0c, 0x0d0d0d0d, 0x0e0e0e0e, 0x0f0f0f0f];
static mut COUNT: u32 = 0x0a0a0a0a;
#[no_mangle]
pub extern "C" fn greet(which: usize) -> *const u8 {
    GREETINGS[which & 1].as_ptr()
}
/// The compiler may write an address far before the table.
#[no_mangle]
pub extern "C" fn number(from_thousand: usize) -> u32 {
    NUMBERS.get(from_thousand.wrapping_sub(1000)).copied().unwrap_or(0)
}
/// Functions behind a table of pointers.
trait Voice {
    fn sing(&self) -> u32;
}
struct Gull(u32);
struct Seal(u32);
impl Voice for Gull {
    fn sing(&self) -> u32 {
        self.0 * 7919
    }
}
impl Voice for Seal {
    fn sing(&self) -> u32 {
        self.0 * 104729
    }
}
#[no_mangle]
pub extern "C" fn voice(number: u32) -> u32 {
    sung(&Gull(number))
}
#[inline(never)]
fn sung(voice: &dyn Voice) -> u32 {
    core::hint::black_box(voice).sing()
}
/// Calls `part` last: its text comes with it.
#[no_mangle]
pub extern "C" fn whole(which: usize) -> *const u8 {
    match which {
        0 => NOTE.as_ptr(),
        _ => part_of(&LAST[1], which),
    }
}
static NOTE: [u8; 9] = *b"a few now";
/// The first one may be where the stack ends, and that address is mentioned.
static LAST: [[u8; 9]; 2] = [*b"never now", *b"more late"];
#[inline(never)]
#[no_mangle]
pub extern "C" fn part_of(text: &[u8; 9], which: usize) -> *const u8 {
    core::hint::black_box(sung(&Seal(which as u32)));
    core::hint::black_box(text).as_ptr()
}
#[no_mangle]
pub extern "C" fn part(which: usize) -> *const u8 {
    unsafe { COUNT += 1 };
    FAREWELLS[which & 1].as_ptr()
}
"#;

fn compiled(notes: bool) -> Module {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let (own, made) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let name = format!("berth-split-{own}-{made}");
    let folder: PathBuf = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let (source, wasm) = (folder.join("program.rs"), folder.join("program.wasm"));
    std::fs::write(&source, PROGRAM).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args([
        "--edition=2021",
        "-O",
        "-Cpanic=abort",
        "--crate-type=cdylib",
    ]);
    rustc.arg("--target=wasm32-unknown-unknown");
    if notes {
        rustc.arg("-Clink-arg=--emit-relocs");
    }
    let made = rustc.arg(&source).arg("-o").arg(&wasm).output().unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let module = Module::from_file(&wasm).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    module
}

/// What the first module reaches if it has all functions but the one exported as `moved`.
fn reached(module: &Module, layout: &Layout, moved: &str) -> Reached {
    let moved = module.exports.get_func(moved).unwrap();
    let stays = module.funcs.iter_local().map(|(id, _)| id);
    Reached::from(
        module,
        Some(layout),
        &stays.filter(|id| *id != moved).collect(),
    )
}

/// Copies the segments of a module into `memory`, as instantiating it would.
fn written_over(memory: &mut BTreeMap<u32, u8>, module: &Module) {
    for segment in module.data.iter() {
        memory.extend(
            addresses(segment)
                .unwrap()
                .zip(segment.value.iter().copied()),
        );
    }
}

fn says(module: &Module, text: &[u8]) -> bool {
    let within = |data: &Data| data.value.windows(text.len()).any(|it| it == text);
    module.data.iter().any(within)
}

#[test]
fn constants_follow_the_functions_that_reach_them() {
    let (mut first, mut lazy) = (compiled(true), compiled(true));
    let layout = layout(&mut first).unwrap().unwrap();
    let moved = layout.moved(&reached(&first, &layout, "part").data);
    let mut whole = BTreeMap::new();
    written_over(&mut whole, &first);
    clear(&mut first, &moved);
    keep(&mut lazy, &moved);
    for text in ["good morning", "good evening"] {
        assert!(says(&first, text.as_bytes()), "{text} is missed");
        assert!(!says(&lazy, text.as_bytes()), "{text} comes twice");
    }
    for text in ["see you soon", "until tomorrow"] {
        assert!(says(&lazy, text.as_bytes()), "{text} is missed");
        assert!(!says(&first, text.as_bytes()), "{text} came too early");
    }
    assert!(says(&first, &[0x0d; 4]) && !says(&lazy, &[0x0d; 4]));
    assert!(
        says(&first, &[0x0a; 4]),
        "a variable has its value from the beginning"
    );
    assert!(!says(&lazy, &[0x0a; 4]), "a variable would lose its value");
    let mut both = BTreeMap::new();
    written_over(&mut both, &first);
    written_over(&mut both, &lazy);
    assert_eq!(both, whole);
}

#[test]
fn arguments_of_a_moved_function_move_with_it() {
    let (mut first, mut lazy) = (compiled(true), compiled(true));
    let layout = layout(&mut first).unwrap().unwrap();
    let moved = layout.moved(&reached(&first, &layout, "part_of").data);
    clear(&mut first, &moved);
    keep(&mut lazy, &moved);
    assert!(says(&first, b"a few now") && !says(&lazy, b"a few now"));
    assert!(says(&lazy, b"more late") && !says(&first, b"more late"));
}

#[test]
fn function_pointers_follow_the_constants_that_hold_them() {
    let mut first = compiled(true);
    let layout = layout(&mut first).unwrap().unwrap();
    let (_, slots) = crate::reach::pointers(&first).unwrap();
    assert_eq!(slots.len(), 2, "the voices of gull and seal");
    let reached = reached(&first, &layout, "part_of");
    let first_voices = layout.slots_in(&reached.data);
    assert_eq!(
        first_voices.len(),
        1,
        "only the gull sings in the first module"
    );
}

#[test]
fn without_the_notes_of_the_linker_constants_stay() {
    assert!(layout(&mut compiled(false)).unwrap().is_none());
}

#[test]
fn notes_about_another_module_are_refused() {
    let mut module = compiled(true);
    let ids: Vec<DataId> = module.data.iter().map(|data| data.id()).collect();
    for id in ids {
        module.data.get_mut(id).value.fill(0xff);
    }
    assert!(layout(&mut module).is_err());
}

#[test]
fn lengths_are_those_of_leb128() {
    for (number, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3)] {
        assert_eq!(unsigned_length(number), bytes, "{number}");
    }
    for (number, bytes) in [(0, 1), (63, 1), (64, 2), (-64, 1), (-65, 2), (1 << 20, 4)] {
        assert_eq!(signed_length(number), bytes, "{number}");
    }
}
