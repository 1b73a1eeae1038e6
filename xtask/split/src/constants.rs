//! Chooses the constants of the lazy module: those that no function of the first module can reach.
//!
//! With `--emit-relocs`, the linker records the place of every constant, and every place in code and
//! data that holds the address of one. The records are exact only until an optimizer computes with
//! addresses, so the split runs before `wasm-opt`.

use crate::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use walrus::ir::Value;
use walrus::{ConstExpr, Data, DataId, DataKind, Module};
use wasmparser::{
    BinaryReader, Linking, LinkingSectionReader, RelocSectionReader, RelocationEntry,
    RelocationType, SymbolInfo,
};

/// Custom sections with the linker's records; only this program reads them.
const SECTIONS: [&str; 3] = ["linking", "reloc.CODE", "reloc.DATA"];

/// Segments whose names begin like this hold constants; only constants can move.
const CONSTANTS: &str = ".rodata";

/// Approximate overhead of one data segment. Shorter gaps between segments are copied instead.
const GAP_BYTES: u32 = 8;

/// The linker's records about the data of a module.
pub struct Layout {
    segments: Vec<Segment>,
    /// The addresses of each datum, by symbol index.
    data: BTreeMap<u32, Range<u32>>,
    /// For each address in code, the data (by symbol index) that it may refer to.
    by_address: BTreeMap<u32, BTreeSet<u32>>,
    /// Addresses of the pointers within data, each with the symbol index of the datum it points to.
    leads: BTreeMap<u32, u32>,
    /// Addresses of the function pointers within data, each with its slot.
    slots: BTreeMap<u32, u32>,
}

struct Segment {
    addresses: Range<u32>,
    constant: bool,
}

/// Removes the linker's records from the module and reads them. `None` if a section is missing.
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
        slots: BTreeMap::new(),
        segments,
    };
    for (number, (segment, offset, size)) in symbols {
        // Data in no segment of the module (`.bss`) is zero, like all fresh memory.
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
        let at = || place(&places, entry.offset).ok_or("an address is written nowhere");
        if entry.ty == RelocationType::TableIndexI32 {
            let place = at()?;
            let slot = word(module, place).ok_or("a function pointer is written nowhere")?;
            layout.slots.insert(place, slot);
        }
        let Some(address) = layout.meant(&entry) else {
            continue;
        };
        let place = at()?;
        if word(module, place) != Some(address) {
            return Err(format!("there is no address {address:#x} at {place:#x}"));
        }
        layout.leads.insert(place, entry.index);
    }
    Ok(layout)
}

impl Layout {
    /// The address that the linker wrote, if it is the address of a datum.
    fn meant(&self, entry: &RelocationEntry) -> Option<u32> {
        use RelocationType::{MemoryAddrI32, MemoryAddrLeb, MemoryAddrSleb};
        if !matches!(entry.ty, MemoryAddrLeb | MemoryAddrSleb | MemoryAddrI32) {
            return None;
        }
        let start = self.data.get(&entry.index)?.start;
        Some(start.wrapping_add(entry.addend as u32))
    }

    /// Data that code reaches which mentions `numbers`, directly or through other data. Variables are always
    /// included.
    pub fn reached(&self, numbers: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut next: Vec<u32> = self.variables();
        for address in numbers {
            next.extend(self.by_address.get(address).into_iter().flatten());
        }
        let mut reached = BTreeSet::new();
        while let Some(number) = next.pop() {
            if reached.insert(number) {
                let within = self.pointers_of(number);
                next.extend(self.leads.range(within).map(|(_, leads_to)| *leads_to));
            }
        }
        reached
    }

    /// Slots of the function pointers in `data`.
    pub fn slots_in(&self, data: &BTreeSet<u32>) -> BTreeSet<u32> {
        let of = |number: &u32| self.slots.range(self.pointers_of(*number));
        data.iter().flat_map(of).map(|(_, slot)| *slot).collect()
    }

    /// Addresses at which a pointer of a datum may begin. It has four bytes, so it may begin before the datum and reach
    /// into it.
    fn pointers_of(&self, number: u32) -> Range<u32> {
        let within = &self.data[&number];
        within.start.saturating_sub(3)..within.end
    }

    /// Data outside the constant segments.
    fn variables(&self) -> Vec<u32> {
        let changes = |range: &Range<u32>| {
            let of = |segment: &&Segment| segment.addresses.contains(&range.start);
            self.segments.iter().find(of).is_none_or(|it| !it.constant)
        };
        let found = self.data.iter().filter(|(_, range)| changes(range));
        found.map(|(number, _)| *number).collect()
    }

    /// Addresses of constants that the first module does not need, sorted and disjoint. `reached`: the data it needs.
    pub fn moved(&self, reached: &BTreeSet<u32>) -> Vec<Range<u32>> {
        let mut kept: Vec<Range<u32>> = reached
            .iter()
            .map(|number| self.data[number].clone())
            .collect();
        kept.sort_by_key(|range| range.start);
        let mut moved = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.constant) {
            let Range { mut start, end } = segment.addresses.clone();
            for range in &kept {
                if range.start >= end || range.end <= start {
                    continue;
                }
                if range.start > start {
                    moved.push(start..range.start);
                }
                start = range.end;
            }
            if start < end {
                moved.push(start..end);
            }
        }
        moved
    }
}

/// Zeroes moved constants in the first module; `wasm-opt` then drops the zeros.
pub fn clear(module: &mut Module, moved: &[Range<u32>]) {
    let ids: Vec<DataId> = module.data.iter().map(|data| data.id()).collect();
    for id in ids {
        let segment = module.data.get_mut(id);
        let Some(addresses) = addresses(segment) else {
            continue;
        };
        for range in moved.iter().filter(|it| addresses.contains(&it.start)) {
            let start = (range.start - addresses.start) as usize;
            segment.value[start..start + range.len()].fill(0);
        }
    }
}

/// Reduces the data of the lazy module to the moved constants, at their original addresses.
pub fn keep(module: &mut Module, moved: &[Range<u32>]) {
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
        let of = moved
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

/// Removes the linker's records: no published module needs them.
pub fn drop_notes(module: &mut Module) {
    for name in SECTIONS {
        module.customs.remove_raw(name);
    }
}

/// Removes all data segments from a module.
fn forget(module: &mut Module) {
    let data: Vec<DataId> = module.data.iter().map(|data| data.id()).collect();
    for memory in module.memories.iter_mut() {
        memory.data_segments.clear();
    }
    for id in data {
        module.data.delete(id);
    }
}

/// Joins ranges with small gaps between them. Writing a gap's bytes twice is harmless: they are
/// constants.
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

/// The names of the segments, and each datum's segment, offset in it and size, by symbol index.
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

/// The offset of each segment's bytes in the data section as the linker wrote it, and their addresses.
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

/// Length of a number in LEB128, in bytes.
fn unsigned_length(number: u32) -> u32 {
    (32 - (number | 1).leading_zeros()).div_ceil(7)
}

fn signed_length(number: i32) -> u32 {
    let bits = 33 - (if number < 0 { !number } else { number }).leading_zeros();
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests;
