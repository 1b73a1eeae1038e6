//! Which constants come later: those that no function of the first part can reach.
//!
//! The linker, asked to keep them (`--emit-relocs`), tells the place of every constant and every
//! place in code and constants where one's address is written. What it tells is exact as long as
//! nobody calculates with addresses at build time; so the split comes before `wasm-opt`.

use crate::Result;
use crate::choice::Parts;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use walrus::ir::{Instr, InstrLocId, Value, Visitor, dfs_in_order};
use walrus::{ConstExpr, Data, DataId, DataKind, FunctionKind, GlobalKind, Module};
use wasmparser::{
    BinaryReader, Linking, LinkingSectionReader, RelocSectionReader, RelocationEntry,
    RelocationType, SymbolInfo,
};

/// What the linker leaves in a module for us; nobody else reads it.
const SECTIONS: [&str; 3] = ["linking", "reloc.CODE", "reloc.DATA"];

/// Constants that never change are in segments of this name; only they can come later.
const CONSTANTS: &str = ".rodata";

/// A segment of its own costs the second part about as much.
const GAP_BYTES: u32 = 8;

/// Everything the linker tells about the data of a module.
pub struct Layout {
    segments: Vec<Segment>,
    /// Where each datum is, by the linker's number.
    data: BTreeMap<u32, Range<u32>>,
    /// Data that an address in code may mean.
    by_address: BTreeMap<u32, BTreeSet<u32>>,
    /// Addresses of addresses within data, each with the datum that it leads to.
    leads: BTreeMap<u32, u32>,
}

struct Segment {
    addresses: Range<u32>,
    constant: bool,
}

/// Takes what the linker left out of the module. Nothing if it left nothing.
pub fn layout(module: &mut Module) -> Result<Option<Layout>> {
    let sections = SECTIONS.map(|name| module.customs.remove_raw(name).map(|raw| raw.data));
    let [Some(linking), Some(code), Some(data)] = &sections else {
        return Ok(None);
    };
    let layout = read(module, linking, code, data);
    layout
        .map(Some)
        .map_err(|e| format!("the linker's notes: {e}"))
}

fn read(module: &Module, linking: &[u8], code: &[u8], data: &[u8]) -> Result<Layout> {
    let (names, symbols) = symbols(linking).map_err(|e| e.to_string())?;
    let mut segments = Vec::new();
    for (number, segment) in module.data.iter().enumerate() {
        segments.push(Segment {
            addresses: addresses(segment).ok_or("a segment has no fixed address")?,
            constant: names
                .get(number)
                .is_some_and(|name| name.starts_with(CONSTANTS)),
        });
    }
    let mut layout = Layout {
        data: BTreeMap::new(),
        by_address: BTreeMap::new(),
        leads: BTreeMap::new(),
        segments,
    };
    for (number, (segment, offset, size)) in symbols {
        // What is not in the module is zero, as all memory.
        if let Some(segment) = layout.segments.get(segment as usize) {
            let start = segment.addresses.start + offset;
            layout.data.insert(number, start..start + size);
        }
    }
    for entry in relocations(code).map_err(|e| e.to_string())? {
        if let Some(address) = layout.meant(&entry) {
            let may_mean = layout.by_address.entry(address).or_default();
            may_mean.insert(entry.index);
        }
    }
    let places = places(module);
    for entry in relocations(data).map_err(|e| e.to_string())? {
        let Some(address) = layout.meant(&entry) else {
            continue;
        };
        let place = place(&places, entry.offset).ok_or("an address is written nowhere")?;
        if word(module, place) != Some(address) {
            return Err(format!("there is no address {address:#x} at {place:#x}"));
        }
        layout.leads.insert(place, entry.index);
    }
    Ok(layout)
}

impl Layout {
    /// The address that the linker wrote, if it is one of data.
    fn meant(&self, entry: &RelocationEntry) -> Option<u32> {
        use RelocationType::{MemoryAddrI32, MemoryAddrLeb, MemoryAddrSleb};
        if !matches!(entry.ty, MemoryAddrLeb | MemoryAddrSleb | MemoryAddrI32) {
            return None;
        }
        let start = self.data.get(&entry.index)?.start;
        Some(start.wrapping_add(entry.addend as u32))
    }

    /// What functions of the first part reach, also through other constants.
    fn reached(&self, module: &Module, parts: &Parts) -> BTreeSet<u32> {
        let mut next: Vec<u32> = self.variables();
        for address in written(module, parts) {
            next.extend(self.by_address.get(&address).into_iter().flatten());
        }
        let mut reached = BTreeSet::new();
        while let Some(number) = next.pop() {
            if reached.insert(number) {
                let within = self.data[&number].clone();
                // A lead may begin before: addresses are four bytes.
                let within = within.start.saturating_sub(3)..within.end;
                next.extend(self.leads.range(within).map(|(_, leads_to)| *leads_to));
            }
        }
        reached
    }

    /// Data that may change.
    fn variables(&self) -> Vec<u32> {
        let changes = |range: &Range<u32>| {
            let of = |segment: &&Segment| segment.addresses.contains(&range.start);
            self.segments.iter().find(of).is_none_or(|it| !it.constant)
        };
        let found = self.data.iter().filter(|(_, range)| changes(range));
        found.map(|(number, _)| *number).collect()
    }

    /// Addresses of constants that the first part does without, in order and apart from each other.
    pub fn later(&self, module: &Module, parts: &Parts) -> Vec<Range<u32>> {
        let mut kept: Vec<Range<u32>> = self
            .reached(module, parts)
            .iter()
            .map(|number| self.data[number].clone())
            .collect();
        kept.sort_by_key(|range| range.start);
        let mut later = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.constant) {
            let Range { mut start, end } = segment.addresses.clone();
            for range in &kept {
                if range.start >= end || range.end <= start {
                    continue;
                }
                if range.start > start {
                    later.push(start..range.start);
                }
                start = range.end;
            }
            if start < end {
                later.push(start..end);
            }
        }
        later
    }
}

/// The first part gets zeros instead; `wasm-opt` leaves them out.
pub fn clear(module: &mut Module, later: &[Range<u32>]) {
    let ids: Vec<DataId> = module.data.iter().map(|data| data.id()).collect();
    for id in ids {
        let segment = module.data.get_mut(id);
        let Some(addresses) = addresses(segment) else {
            continue;
        };
        for range in later.iter().filter(|it| addresses.contains(&it.start)) {
            let start = (range.start - addresses.start) as usize;
            segment.value[start..start + range.len()].fill(0);
        }
    }
}

/// The second part writes them where they belong, and nothing else.
pub fn keep(module: &mut Module, later: &[Range<u32>]) {
    let memory = module.memories.iter().next().map(|memory| memory.id());
    let segments: Vec<(Range<u32>, Vec<u8>)> = module
        .data
        .iter()
        .filter_map(|segment| Some((addresses(segment)?, segment.value.clone())))
        .collect();
    forget(module);
    let Some(memory) = memory else {
        return;
    };
    for (addresses, bytes) in segments {
        let of = later
            .iter()
            .filter(|range| addresses.contains(&range.start));
        for range in joined(of) {
            let offset = ConstExpr::Value(Value::I32(range.start as i32));
            let start = (range.start - addresses.start) as usize;
            let value = bytes[start..start + range.len()].to_vec();
            let id = module.data.add(DataKind::Active { memory, offset }, value);
            module.memories.get_mut(memory).data_segments.insert(id);
        }
    }
}

/// Leaves the linker's notes out: no module that is published needs them.
pub fn drop_notes(module: &mut Module) {
    for name in SECTIONS {
        module.customs.remove_raw(name);
    }
}

/// Takes all data out of a module.
fn forget(module: &mut Module) {
    let data: Vec<DataId> = module.data.iter().map(|data| data.id()).collect();
    for memory in module.memories.iter_mut() {
        memory.data_segments.clear();
    }
    for id in data {
        module.data.delete(id);
    }
}

/// Bytes between may be written once more: they are constants.
fn joined<'a>(ranges: impl Iterator<Item = &'a Range<u32>>) -> Vec<Range<u32>> {
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start - last.end <= GAP_BYTES => last.end = range.end,
            _ => joined.push(range.clone()),
        }
    }
    joined
}

fn addresses(segment: &Data) -> Option<Range<u32>> {
    match segment.kind {
        DataKind::Active {
            offset: ConstExpr::Value(Value::I32(start)),
            ..
        } => Some(start as u32..start as u32 + segment.value.len() as u32),
        _ => None,
    }
}

/// Numbers that may be addresses, in functions and variables of the first part.
fn written(module: &Module, parts: &Parts) -> BTreeSet<u32> {
    struct Written(BTreeSet<u32>);
    impl<'a> Visitor<'a> for Written {
        fn visit_instr(&mut self, instr: &'a Instr, _: &'a InstrLocId) {
            let number = match instr {
                Instr::Const(it) => match it.value {
                    Value::I32(number) => u64::from(number as u32),
                    _ => return,
                },
                Instr::Load(it) => it.arg.offset,
                Instr::Store(it) => it.arg.offset,
                Instr::AtomicRmw(it) => it.arg.offset,
                Instr::Cmpxchg(it) => it.arg.offset,
                Instr::AtomicNotify(it) => it.arg.offset,
                Instr::AtomicWait(it) => it.arg.offset,
                Instr::LoadSimd(it) => it.arg.offset,
                _ => return,
            };
            self.0.extend(u32::try_from(number));
        }
    }
    let mut written = Written(BTreeSet::new());
    for function in module.funcs.iter() {
        if let FunctionKind::Local(body) = &function.kind
            && !parts.later.contains(&function.id())
        {
            dfs_in_order(&mut written, body, body.entry_block());
        }
    }
    for global in module.globals.iter() {
        if let GlobalKind::Local(ConstExpr::Value(Value::I32(number))) = global.kind {
            written.0.insert(number as u32);
        }
    }
    written.0
}

/// Names of segments, and of data by number: their segment, offset within, and size.
type Symbols = (Vec<String>, BTreeMap<u32, (u32, u32, u32)>);

fn symbols(linking: &[u8]) -> wasmparser::Result<Symbols> {
    let (mut names, mut data) = (Vec::new(), BTreeMap::new());
    for part in LinkingSectionReader::new(BinaryReader::new(linking, 0))? {
        match part? {
            Linking::SegmentInfo(segments) => {
                for segment in segments {
                    names.push(segment?.name.to_string());
                }
            }
            Linking::SymbolTable(symbols) => {
                for (number, symbol) in (0..).zip(symbols) {
                    let SymbolInfo::Data { symbol: place, .. } = symbol? else {
                        continue;
                    };
                    if let Some(it) = place {
                        data.insert(number, (it.index, it.offset, it.size));
                    }
                }
            }
            _ => {}
        }
    }
    Ok((names, data))
}

fn relocations(section: &[u8]) -> wasmparser::Result<Vec<RelocationEntry>> {
    let reader = RelocSectionReader::new(BinaryReader::new(section, 0))?;
    reader.entries().into_iter().collect()
}

/// Where each segment's bytes begin within the data section as the linker wrote it, and their addresses.
fn places(module: &Module) -> Vec<(u32, Range<u32>)> {
    let mut at = unsigned_length(module.data.iter().count() as u32);
    let mut places = Vec::new();
    for segment in module.data.iter() {
        if let Some(addresses) = addresses(segment) {
            // Kind, `i32.const`, address, `end`, length.
            at += 3 + signed_length(addresses.start as i32);
            at += unsigned_length(addresses.len() as u32);
            places.push((at, addresses.clone()));
            at += addresses.len() as u32;
        }
    }
    places
}

fn place(places: &[(u32, Range<u32>)], offset: u32) -> Option<u32> {
    let (start, addresses) = places.iter().rev().find(|(start, _)| *start <= offset)?;
    Some(addresses.start + (offset - start)).filter(|address| addresses.contains(address))
}

fn word(module: &Module, address: u32) -> Option<u32> {
    module.data.iter().find_map(|segment| {
        let addresses = addresses(segment)?;
        let start = address.checked_sub(addresses.start)? as usize;
        let bytes = segment.value.get(start..start + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    })
}

/// Bytes of a number in LEB128.
fn unsigned_length(number: u32) -> u32 {
    (32 - (number | 1).leading_zeros()).div_ceil(7)
}

fn signed_length(number: i32) -> u32 {
    let bits = 33 - (if number < 0 { !number } else { number }).leading_zeros();
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests;
