//! Program image for the chip, from an ELF file.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use defmt_decoder::Table;
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind,
    elf::{EM_ARM, FileHeader32, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_NOBITS},
    read::elf::{ElfFile, FileHeader, ProgramHeader},
};
use rustc_demangle::demangle;

use crate::Error;

const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;
const RAM: Range<u32> = 0x2000_0000..0x2004_2000;
/// Vector table, behind the second-stage boot loader.
const VECTORS: u32 = 0x1000_0100;

/// Symbol of the log channel.
pub(crate) const LOG_CHANNEL: &str = "_SEGGER_RTT";

/// Program image for the chip.
pub struct Image {
    /// Addresses and contents.
    segments: Vec<(u32, Vec<u8>)>,
    symbols: BTreeMap<String, u32>,
    /// Ends and names, by their starts.
    functions: BTreeMap<u32, (u32, String)>,
    sections: Vec<Section>,
    /// Decoder table of its logs, if it has any.
    logs: Option<Table>,
}

/// Section that takes memory on the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub size: u32,
    /// Takes flash: all but zero-initialised data.
    pub flash: bool,
    /// Takes RAM: writable data, and code copied there.
    pub ram: bool,
}

impl Image {
    /// Reads an ELF file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let failed = |why: String| Error::Image {
            path: path.to_owned(),
            why,
        };
        let file = fs::read(path).map_err(|error| failed(error.to_string()))?;
        Self::parse(&file).map_err(failed)
    }

    /// Parses an ELF file; the error is a short text.
    pub fn parse(file: &[u8]) -> Result<Self, String> {
        let broken = |error: object::Error| format!("not an image for the chip: {error}");
        let elf = ElfFile::<FileHeader32<Endianness>>::parse(file).map_err(broken)?;
        let endian = elf.endian();
        if elf.elf_header().e_machine(endian) != EM_ARM {
            return Err("not an image for the chip: not for an ARM processor".to_owned());
        }

        let mut segments = Vec::new();
        for header in elf.elf_program_headers() {
            let data = header
                .data(endian, file)
                .map_err(|()| "not an image for the chip: it is cut short".to_owned())?;
            if header.p_type(endian) != PT_LOAD || data.is_empty() {
                continue;
            }
            let at = header.p_paddr(endian);
            let fits = u32::try_from(data.len()).is_ok_and(|length| {
                FLASH.contains(&at) && at.checked_add(length).is_some_and(|end| end <= FLASH.end)
            });
            if !fits {
                return Err(format!(
                    "not an image for the chip: it loads to {at:#x}, which is not flash"
                ));
            }
            segments.push((at, data.to_vec()));
        }

        let (mut symbols, mut functions) = (BTreeMap::new(), BTreeMap::new());
        for symbol in elf.symbols() {
            let (Ok(name), at) = (symbol.name(), address(symbol.address())) else {
                continue;
            };
            symbols.entry(name.to_owned()).or_insert(at);
            if symbol.kind() == SymbolKind::Text && symbol.size() > 0 {
                // The lowest bit of a function's address says "Thumb".
                let (start, name) = (at & !1, format!("{:#}", demangle(name)));
                let end = start + address(symbol.size());
                functions.entry(start).or_insert((end, name));
            }
        }

        let mut image = Self {
            segments,
            symbols,
            functions,
            sections: sections(&elf),
            logs: None,
        };
        // The linker script of logs leaves its sections even in an image that has no channel for them.
        if image.symbol(LOG_CHANNEL).is_some() {
            image.logs = Table::parse(file).map_err(|error| format!("its logs: {error}"))?;
        }
        match image.word(VECTORS) {
            Some(stack) if stack == RAM.end || RAM.contains(&stack) => Ok(image),
            _ => Err(format!(
                "not an image for the chip: there is no vector table at {VECTORS:#x}"
            )),
        }
    }

    /// Address in flash and bytes of each part that is loaded; all of them lie in flash.
    pub fn segments(&self) -> &[(u32, Vec<u8>)] {
        &self.segments
    }

    pub(crate) fn logs(&self) -> Option<&Table> {
        self.logs.as_ref()
    }

    /// Sections that take memory on the chip, in file order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.get(name).copied()
    }

    /// Function at an address.
    pub fn function_at(&self, address: u32) -> Option<&str> {
        let (_, (end, name)) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some(name)
    }

    /// RAM left for the stack: above all variables, or below them if the linker put it there.
    pub fn stack(&self) -> Option<Range<u32>> {
        let top = self.symbol("_stack_start")?;
        let variables_end = self.symbol("__sheap").or_else(|| self.symbol("__ebss"))?;
        let stack = if variables_end <= top {
            variables_end..top
        } else {
            RAM.start..top
        };
        (!stack.is_empty()).then_some(stack)
    }

    fn word(&self, at: u32) -> Option<u32> {
        self.segments.iter().find_map(|(start, data)| {
            let offset = usize::try_from(at.checked_sub(*start)?).ok()?;
            let bytes = data.get(offset..offset.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        })
    }
}

fn sections(elf: &ElfFile<'_, FileHeader32<Endianness>>) -> Vec<Section> {
    let endian = elf.endian();
    elf.sections()
        .filter_map(|section| {
            let SectionFlags::Elf { sh_flags } = section.flags() else {
                return None;
            };
            let flags = u32::try_from(sh_flags).ok()?;
            if flags & SHF_ALLOC == 0 || section.size() == 0 {
                return None;
            }
            let at = address(section.address());
            let empty = section.elf_section_header().sh_type.get(endian) == SHT_NOBITS;
            Some(Section {
                name: section.name().ok()?.to_owned(),
                size: address(section.size()),
                flash: !empty,
                ram: RAM.contains(&at) && flags & (SHF_WRITE | SHF_EXECINSTR) != 0,
            })
        })
        .collect()
}

/// Addresses and sizes in a 32-bit file fit 32 bits.
fn address(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file for the chip with these segments: where each is loaded, its bytes, and its size in memory.
    fn elf(segments: &[(u32, &[u8], u32)]) -> Vec<u8> {
        let mut file = Vec::from(*b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
        file.extend([2, 0, 40, 0]); // executable, ARM
        for word in [1_u32, FLASH.start, 52, 0, 0] {
            file.extend(word.to_le_bytes()); // version, entry, program headers, no sections, flags
        }
        for half in [52, 32, segments.len() as u16, 40, 0, 0] {
            file.extend(half.to_le_bytes());
        }
        let mut offset = 52 + 32 * segments.len() as u32;
        for (address, bytes, size) in segments {
            let len = bytes.len() as u32;
            // Variables run elsewhere: only the address of loading counts.
            for word in [PT_LOAD, offset, 0x2000_0000, *address, len, *size, 7, 4] {
                file.extend(word.to_le_bytes());
            }
            offset += len;
        }
        for (_, bytes, _) in segments {
            file.extend(*bytes);
        }
        file
    }

    fn refusal(elf: &[u8]) -> String {
        Image::parse(elf).err().unwrap()
    }

    #[test]
    fn only_what_is_loaded_is_a_segment() {
        let mut code = vec![0; 0x104];
        code[0x100..].copy_from_slice(&RAM.end.to_le_bytes());
        let bss = (0x2000_1000, &[][..], 5000);
        let image = Image::parse(&elf(&[(FLASH.start, &code, 0x104), bss]))
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(image.segments(), [(FLASH.start, code)]);
    }

    #[test]
    fn what_cannot_be_flashed_is_refused() {
        for (elf, why) in [
            (elf(&[(0x2000_0000, &[1], 1)]), "not flash"),
            (elf(&[(FLASH.end - 1, &[1, 2], 2)]), "not flash"),
            (elf(&[(u32::MAX, &[1, 2], 2)]), "not flash"),
            (elf(&[]), "no vector table"),
            (vec![0; 100], "not an image"),
        ] {
            let error = refusal(&elf);
            assert!(error.contains(why), "{error}");
        }
        let mut cut = elf(&[(FLASH.start, &[1, 2], 2)]);
        cut.pop();
        assert!(refusal(&cut).contains("cut short"));
    }
}
