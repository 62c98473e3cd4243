//! The kernel's parameters: argument words as constants of their types.

use super::args::{ArgSlot, ArgSlots};
use super::function::Printer;
use super::metalium_0_81 as api;
use crate::ir::{Param, ParamKind, Ty};

impl Printer<'_> {
    /// The kernel's parameters as constants: what is known at compile time first. Those that nothing reads are left out.
    /// Returns whether there are any.
    pub(super) fn arguments(&mut self, args: &ArgSlots) -> bool {
        let module = self.module;
        let all: Vec<(&Param, ArgSlot)> = module.params.iter().zip(args.params.iter().copied()).collect();
        let of_kind = |kinds: &'static [ParamKind]| {
            all.iter().copied().filter(move |(p, _)| kinds.contains(&p.kind)).collect::<Vec<_>>()
        };
        let mut any = false;
        for (param, slot) in of_kind(&[ParamKind::Cb, ParamKind::CompileTime]) {
            if let (true, ArgSlot::CompileTime(at)) = (self.read.contains(&param.local), slot) {
                match self.aggregate(&param.ty, api::COMPILE_TIME_ARG, at) {
                    Some(value) => {
                        let cpp = self.type_name(&param.ty);
                        let name = self.declare(param.local);
                        let qualifier = if self.assigned.contains(&param.local) { "" } else { "constexpr " };
                        self.out.code(&format!("{qualifier}{cpp} {name} = {value};"));
                    }
                    None => self.scalar(param, &format!("{}({at})", api::COMPILE_TIME_ARG), "constexpr"),
                }
                any = true;
            }
        }
        for (param, slot) in of_kind(&[ParamKind::Semaphore]) {
            if let (true, ArgSlot::CompileTime(at)) = (self.read.contains(&param.local), slot) {
                let name = self.declare(param.local);
                let value = format!("{}({}({at}))", api::SEMAPHORE, api::COMPILE_TIME_ARG);
                self.out.code(&format!("const uint32_t {name} = {value};"));
                any = true;
            }
        }
        any |= self.accessors(&of_kind(&[ParamKind::Tensor]), args.accessor_base);
        for (param, slot) in of_kind(&[ParamKind::Common, ParamKind::PerCore]) {
            let (function, at) = match slot {
                ArgSlot::Common(at) => (api::COMMON_ARG, at),
                ArgSlot::PerCore(at) => (api::PER_CORE_ARG, at),
                ArgSlot::CompileTime(_) | ArgSlot::Tensor { .. } => continue,
            };
            if !self.read.contains(&param.local) {
                continue;
            }
            if let Some(value) = self.aggregate(&param.ty, function, at) {
                let cpp = self.type_name(&param.ty);
                let name = self.declare(param.local);
                let qualifier = if self.assigned.contains(&param.local) { "" } else { "const " };
                self.out.code(&format!("{qualifier}{cpp} {name} = {value};"));
                any = true;
            } else if matches!(param.ty, Ty::Words | Ty::CommonWords) {
                let name = self.declare(param.local);
                self.out.code(&format!("constexpr uint32_t {name} = {at};"));
                any = true;
            } else if let Some((address, words)) = place_of(&param.ty) {
                let words: Vec<String> = (0..words).map(|i| format!("{function}<uint32_t>({})", at + i)).collect();
                let name = self.declare(param.local);
                self.out.code(&format!("const uint64_t {name} = {address}({}, 0);", words.join(", ")));
                any = true;
            } else {
                let word = word_type(&param.ty);
                self.scalar(param, &format!("{function}<{word}>({at})"), "const");
                any = true;
            }
        }
        any
    }

    /// A scalar parameter decoded from its argument word.
    fn scalar(&mut self, param: &Param, word: &str, qualifier: &str) {
        let cpp = self.type_name(&param.ty);
        let value = self.decode(&param.ty, word, qualifier == "constexpr");
        let name = self.declare(param.local);
        let qualifier = if self.assigned.contains(&param.local) { String::new() } else { format!("{qualifier} ") };
        self.out.code(&format!("{qualifier}{cpp} {name} = {value};"));
    }

    fn decode(&self, ty: &Ty, word: &str, compile_time: bool) -> String {
        match ty {
            Ty::Bool => format!("{word} != 0"),
            Ty::F32 if compile_time => format!("__builtin_bit_cast(float, {word})"),
            Ty::Int(i) if i.bits < 32 || (i.signed && compile_time) => {
                format!("static_cast<{}>({word})", self.type_name(ty))
            }
            Ty::Enum(_) => format!("static_cast<{}>({word})", self.type_name(ty)),
            _ => word.to_owned(),
        }
    }

    /// A parameter of plain data from the words at `at`; none if it is a single word.
    fn aggregate(&self, ty: &Ty, function: &str, at: u32) -> Option<String> {
        matches!(ty, Ty::Struct(_) | Ty::Array(..)).then(|| self.words_to_value(ty, function, &mut { at }))
    }

    fn words_to_value(&self, ty: &Ty, function: &str, at: &mut u32) -> String {
        let inside: Vec<&Ty> = match ty {
            Ty::Struct(s) => s.fields.iter().map(|f| &f.ty).collect(),
            Ty::Array(of, len) => vec![&**of; *len as usize],
            _ => {
                let compile_time = function == api::COMPILE_TIME_ARG;
                let word = if compile_time {
                    format!("{function}({at})")
                } else {
                    format!("{function}<{}>({at})", word_type(ty))
                };
                *at += 1;
                return self.decode(ty, &word, compile_time);
            }
        };
        let values: Vec<String> = inside.into_iter().map(|ty| self.words_to_value(ty, function, at)).collect();
        format!("{}{{{}}}", self.type_name(ty), values.join(", "))
    }

    fn accessors(&mut self, tensors: &[(&Param, ArgSlot)], base: u32) -> bool {
        let used = |(param, _): &&(&Param, ArgSlot)| self.read.contains(&param.local);
        // Later accessors need the length of those before them.
        let Some(last) = tensors.iter().rposition(|t| used(&t)) else {
            return false;
        };
        let mut offset = base.to_string();
        let mut declared = Vec::new();
        for (param, slot) in &tensors[..=last] {
            let wanted = &self.f.local(param.local).name;
            let words = self.scopes.declare(&format!("{wanted}_args"));
            self.out.code(&format!("constexpr auto {words} = {}<{offset}>();", api::ACCESSOR_ARGS));
            offset = format!("{words}.{}()", api::NEXT_ACCESSOR);
            declared.push((*param, *slot, words));
        }
        for (param, slot, words) in declared {
            if let (true, ArgSlot::Tensor { base }) = (self.read.contains(&param.local), slot) {
                let name = self.declare(param.local);
                self.out.code(&format!(
                    "const auto {name} = {}({words}, {}<uint32_t>({base}));",
                    api::ACCESSOR,
                    api::COMMON_ARG
                ));
            }
        }
        true
    }
}

/// Arguments are words; signed words and floats can be read as such.
const fn word_type(ty: &Ty) -> &'static str {
    match ty {
        Ty::F32 => "float",
        Ty::Int(i) if i.signed => "int32_t",
        _ => "uint32_t",
    }
}

/// For a core or a rectangle: what makes its address, from how many argument words.
const fn place_of(ty: &Ty) -> Option<(&'static str, u32)> {
    match ty {
        Ty::Core => Some((api::NOC_ADDR, 2)),
        Ty::CoreRange => Some((api::MULTICAST_ADDR, 4)),
        _ => None,
    }
}
