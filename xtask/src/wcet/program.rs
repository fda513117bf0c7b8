//! A linked image as code: bytes by address, functions, source lines.

use std::{borrow::Cow, collections::BTreeMap, fs, ops::Range, path::Path};

use addr2line::Context as Lines;
use anyhow::{Context, Result, anyhow};
use gimli::{Dwarf, EndianRcSlice, LittleEndian, SectionId};
use object::{
    Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, SymbolKind, elf::SHF_ALLOC,
};
use rustc_demangle::demangle;

use super::thumb::{self, Instruction};

/// Addresses of flash.
pub const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;

/// A function of an image.
#[derive(Clone, Debug)]
pub struct Function {
    pub range: Range<u32>,
    /// Demangled, without the hash.
    pub name: String,
}

/// A source line: a path and a number.
pub type Line = (String, u32);

/// A linked image.
pub struct Program {
    /// Contents by the address at which they are executed or read.
    memory: Vec<(u32, Vec<u8>)>,
    /// By address.
    functions: BTreeMap<u32, Function>,
    /// Beginnings of code (`true`) and of data between code.
    mapping: BTreeMap<u32, bool>,
    lines: Option<Lines<EndianRcSlice<LittleEndian>>>,
}

impl Program {
    /// Reads an ELF file.
    pub fn read(path: &Path) -> Result<Self> {
        let file = fs::read(path).with_context(|| path.display().to_string())?;
        Self::parse(&file).with_context(|| path.display().to_string())
    }

    fn parse(file: &[u8]) -> Result<Self> {
        let elf = object::File::parse(file)?;
        let mut memory = Vec::new();
        for section in elf.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else {
                continue;
            };
            let is_zero = section.kind() == SectionKind::UninitializedData;
            if sh_flags & u64::from(SHF_ALLOC) != 0 && !is_zero && section.size() > 0 {
                memory.push((u32::try_from(section.address())?, section.data()?.to_vec()));
            }
        }
        let (mut mapping, mut sized, mut unsized_) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for symbol in elf.symbols() {
            let (name, at) = (symbol.name()?, u32::try_from(symbol.address())? & !1);
            match name.get(..2) {
                Some("$t") => _ = mapping.insert(at, true),
                Some("$d") => _ = mapping.insert(at, false),
                _ if symbol.kind() == SymbolKind::Text => {
                    let name = format!("{:#}", demangle(name));
                    let size = u32::try_from(symbol.size())?;
                    let range = at..at + size;
                    let kind = if size > 0 { &mut sized } else { &mut unsized_ };
                    kind.entry(at).or_insert(Function { range, name });
                }
                _ => {}
            }
        }
        // Functions in assembly may have no size: they end where the next one begins.
        let mut functions: BTreeMap<u32, Function> = sized;
        for (at, mut function) in unsized_ {
            if functions
                .range(..=at)
                .next_back()
                .is_some_and(|(_, f)| f.range.contains(&at))
            {
                continue;
            }
            let end = functions
                .range(at + 1..)
                .next()
                .map_or(at + 2, |(next, _)| *next);
            function.range.end = end;
            functions.insert(at, function);
        }
        let load = |id: SectionId| -> Result<_, anyhow::Error> {
            let data = match elf.section_by_name(id.name()) {
                Some(section) => section.uncompressed_data()?,
                None => Cow::Borrowed(&[][..]),
            };
            Ok(EndianRcSlice::new(data.into(), LittleEndian))
        };
        let lines = Lines::from_dwarf(Dwarf::load(load)?)?;
        Ok(Self {
            memory,
            functions,
            mapping,
            lines: Some(lines),
        })
    }

    /// A program of instructions at an address, without symbols or lines, for tests.
    #[cfg(test)]
    pub fn assembled(at: u32, code: &[u16]) -> Self {
        let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
        let range = at..at + bytes.len() as u32;
        let name = "test".to_owned();
        Self {
            memory: vec![(at, bytes)],
            functions: BTreeMap::from([(at, Function { range, name })]),
            mapping: BTreeMap::from([(at, true)]),
            lines: None,
        }
    }

    /// Marks a part of an assembled program as a table.
    #[cfg(test)]
    pub fn add_data(&mut self, range: Range<u32>) {
        self.mapping.insert(range.start, false);
        self.mapping.insert(range.end, true);
    }

    fn bytes<const N: usize>(&self, at: u32) -> Option<[u8; N]> {
        self.memory.iter().find_map(|(start, data)| {
            let offset = usize::try_from(at.checked_sub(*start)?).ok()?;
            data.get(offset..offset.checked_add(N)?)?.try_into().ok()
        })
    }

    pub fn byte(&self, at: u32) -> Option<u8> {
        self.bytes(at).map(|[byte]| byte)
    }

    pub fn half(&self, at: u32) -> Option<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }

    pub fn word(&self, at: u32) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    /// The instruction at an address.
    pub fn instruction(&self, at: u32) -> Result<Instruction> {
        let first = self
            .half(at)
            .with_context(|| format!("no code at {at:#x}"))?;
        let second = self.half(at + 2).unwrap_or(0);
        thumb::decode(at, first, second).ok_or_else(|| {
            anyhow!("{first:04x} {second:04x} at {at:#x} is no instruction of ARMv6-M")
        })
    }

    /// The function that begins at an address.
    pub fn function(&self, at: u32) -> Option<&Function> {
        self.functions.get(&at)
    }

    /// The function that an address is in.
    pub fn function_around(&self, at: u32) -> Option<&Function> {
        let (_, function) = self.functions.range(..=at).next_back()?;
        function.range.contains(&at).then_some(function)
    }

    /// All functions, by address.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.values()
    }

    /// Start of the next code after an address.
    pub fn next_code(&self, at: u32) -> Option<u32> {
        let mut later = self.mapping.range(at..).filter(|(_, is_code)| **is_code);
        later.next().map(|(at, _)| *at)
    }

    /// Returns whether an address is in code, not in a table between code.
    pub fn is_code(&self, at: u32) -> bool {
        let before = self.mapping.range(..=at).next_back();
        before.is_none_or(|(_, is_code)| *is_code)
    }

    /// The source lines of an instruction: its own, and those of the calls that were inlined around it.
    pub fn lines(&self, at: u32) -> Vec<Line> {
        let mut lines = Vec::new();
        let Some(context) = &self.lines else {
            return lines;
        };
        let Ok(mut frames) = context.find_frames(u64::from(at)).skip_all_loads() else {
            return lines;
        };
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location
                && let (Some(file), Some(line)) = (location.file, location.line)
            {
                lines.push((file.replace("/./", "/"), line));
            }
        }
        lines
    }
}
