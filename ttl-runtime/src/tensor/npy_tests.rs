use super::*;
use crate::tensor::format::DataFormat;
use crate::tensor::random::Random;

/// A file as numpy writes it, with any header text.
fn file(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    let text = format!("{dict}{}\n", " ".repeat(63 - (10 + dict.len()) % 64));
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.as_bytes());
    out.extend(data);
    out
}

fn dict(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
}

fn parsed(bytes: &[u8]) -> Result<HostTensor, String> {
    parse(Path::new("x.npy"), bytes).map_err(|e| e.to_string())
}

#[test]
fn element_types_become_f32() {
    let values = [1.5f32, -2.0, 0.25, 1024.0];
    let expect = HostTensor::from_vec([2, 2], values.to_vec()).unwrap();
    let cases: [(&str, Vec<u8>); 6] = [
        ("<f4", values.iter().flat_map(|v| v.to_le_bytes()).collect()),
        (">f4", values.iter().flat_map(|v| v.to_be_bytes()).collect()),
        ("<f8", values.iter().flat_map(|v| f64::from(*v).to_le_bytes()).collect()),
        (">f8", values.iter().flat_map(|v| f64::from(*v).to_be_bytes()).collect()),
        ("<f2", values.iter().flat_map(|v| f16::from_f32(*v).to_le_bytes()).collect()),
        (">f2", values.iter().flat_map(|v| f16::from_f32(*v).to_be_bytes()).collect()),
    ];
    for (descr, data) in cases {
        let got = parsed(&file(&dict(descr, false, "(2, 2)"), &data));
        assert_eq!(got, Ok(expect.clone()), "{descr}");
    }
}

#[test]
fn integers_stay_what_they_are() {
    let parse = |descr: &str, data: &[u8]| parsed(&file(&dict(descr, false, "(2,)"), data)).map(|t| t.data().clone());
    assert_eq!(parse("|u1", &[3, 255]), Ok(HostData::U8(vec![3, 255])));
    assert_eq!(parse("|b1", &[0, 1]), Ok(HostData::U8(vec![0, 1])));
    assert_eq!(parse("|i1", &[3, 255]), Ok(HostData::I32(vec![3, -1])));
    assert_eq!(parse("<u2", &[1, 2, 255, 255]), Ok(HostData::U16(vec![513, 65_535])));
    assert_eq!(parse(">i2", &[255, 254, 0, 7]), Ok(HostData::I32(vec![-2, 7])));
    let words = |a: u32, b: u32| [a.to_le_bytes(), b.to_le_bytes()].concat();
    assert_eq!(parse("<u4", &words(16_777_217, u32::MAX)), Ok(HostData::U32(vec![16_777_217, u32::MAX])));
    assert_eq!(parse("<i4", &words(5, u32::MAX)), Ok(HostData::I32(vec![5, -1])));
    let longs = |a: i64, b: i64| [a.to_le_bytes(), b.to_le_bytes()].concat();
    assert_eq!(parse("<i8", &longs(-7, 1 << 30)), Ok(HostData::I32(vec![-7, 1 << 30])));
    assert_eq!(parse("<u8", &longs(7, 1 << 31)), Ok(HostData::U32(vec![7, 1 << 31])));
    assert_eq!(
        parse("<i8", &longs(-7, 1 << 31)).unwrap_err(),
        "x.npy: the int64 array has values from -7 to 2147483648, which neither i32 nor u32 holds\n  = help: save smaller numbers, or floats"
    );
    let dir = tempfile::tempdir().unwrap();
    for format in [DataFormat::U32, DataFormat::I32, DataFormat::U16, DataFormat::U8] {
        let path = dir.path().join("t.npy");
        let t = HostTensor::integers([3, 5], format, 0, 255, 4).unwrap();
        write(&path, &t).unwrap();
        assert_eq!(read(&path).unwrap(), t);
    }
}

#[test]
fn fortran_order_is_refused_unless_it_makes_no_difference() {
    let data = [0u8; 24];
    assert_eq!(
        parsed(&file(&dict("<f4", true, "(2, 3)"), &data)).unwrap_err(),
        "x.npy: the array is in Fortran order\n  = help: save numpy.ascontiguousarray(a)"
    );
    assert!(parsed(&file(&dict("<f4", true, "(6, 1)"), &data)).is_ok());
    assert!(parsed(&file(&dict("<f4", true, "(6,)"), &data)).is_ok());
}

#[test]
fn broken_files_are_refused() {
    let good = file(&dict("<f4", false, "(2, 3)"), &[0; 24]);
    let not_npy = "x.npy: this is no .npy file\n  = help: write one with numpy.save";
    let header = "x.npy: the header of the .npy file is broken: ";
    for bytes in [&b""[..], b"hello", b"PK\x03\x04zip", &good[..5]] {
        assert_eq!(parsed(bytes).unwrap_err(), not_npy);
    }
    for cut in [6, 7, 9, 10, 60, 127] {
        assert_eq!(
            parsed(&good[..cut]).unwrap_err(),
            format!("{header}it is cut off\n  = help: write it again with numpy.save"),
            "{cut}"
        );
    }
    for cut in [128, 129, 151] {
        let e = parsed(&good[..cut]).unwrap_err();
        let there = cut - 128;
        assert!(
            e.starts_with(&format!(
                "x.npy: the file is cut off: shape [2, 3] of float32 takes 24 bytes, {there} are there\n"
            )),
            "{e}"
        );
    }
    let mut long = good.clone();
    long.push(0);
    let e = parsed(&long).unwrap_err();
    assert!(e.starts_with("x.npy: 1 bytes follow the array of shape [2, 3]\n"), "{e}");
    for text in ["", "not a dict", "{'descr': '<f4'}", "{'descr': 3}", "[1, 2]", "{"] {
        let e = parsed(&file(text, &[])).unwrap_err();
        assert!(e.starts_with(header), "{text}: {e}");
    }
    let mut version = good;
    version[6] = 9;
    assert!(parsed(&version).unwrap_err().starts_with(header));
}

#[test]
fn hostile_headers_are_refused() {
    let big = dict("<f4", false, "(4294967296, 4294967296, 4294967296)");
    assert_eq!(
        parsed(&file(&big, &[])).unwrap_err(),
        "x.npy: the header of the .npy file is broken: its shape has more elements than any memory\n  = help: write it again with numpy.save"
    );
    let deep = "(".repeat(10_000);
    assert_eq!(
        parsed(&file(&deep, &[])).unwrap_err(),
        "x.npy: the header of the .npy file is broken: it is nested too deeply\n  = help: write it again with numpy.save"
    );
    let large = dict("<f4", false, "(1048576, 1048576, 1048576)");
    assert_eq!(
        parsed(&file(&large, &[])).unwrap_err(),
        "x.npy: shape [1048576, 1048576, 1048576] has more elements than a device can address\n  = help: split the tensor"
    );
    // Version 2 has a length of 32 bits.
    let mut bytes = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    bytes.extend([b' '; 100]);
    assert!(parsed(&bytes).unwrap_err().contains("it is cut off"));
}

#[test]
fn unsupported_contents_are_refused() {
    for (descr, shown) in [("<c8", "<c8"), ("|O", "|O"), ("<f16", "<f16")] {
        let e = parsed(&file(&dict(descr, false, "(1,)"), &[0; 8])).unwrap_err();
        assert_eq!(
            e,
            format!(
                "x.npy: element type {shown} is not supported\n  = help: save a.astype(numpy.float32); other floats, integers and bool work too"
            )
        );
    }
    let record = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }";
    assert!(parsed(&file(record, &[0; 4])).unwrap_err().contains("is not supported"));
    assert_eq!(
        parsed(&file(&dict("<f4", false, "()"), &[0; 4])).unwrap_err(),
        "x.npy: a tensor needs at least one dimension\n  = help: a single value has the shape [1]"
    );
    assert_eq!(
        parsed(&file(&dict("<f4", false, "(0, 3)"), &[])).unwrap_err(),
        "x.npy: the tensor is empty: shape [0, 3] has a dimension of 0\n  = help: every dimension must be at least 1"
    );
}

#[test]
fn files_come_back() {
    let dir = tempfile::tempdir().unwrap();
    for (i, shape) in [vec![7], vec![3, 5], vec![2, 3, 4, 5]].into_iter().enumerate() {
        let t = HostTensor::normal(shape, i as u64).unwrap();
        let path = dir.path().join(format!("t{i}.npy"));
        write(&path, &t).unwrap();
        assert_eq!(read(&path).unwrap(), t);
        let bf = t.to_format(DataFormat::Bf16);
        write(&path, &bf).unwrap();
        assert_eq!(read(&path).unwrap(), bf.to_format(DataFormat::F32));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
}

#[test]
fn wrong_shape_and_missing_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.npy");
    write(&path, &HostTensor::zeros([2, 3], DataFormat::F32).unwrap()).unwrap();
    let e = read_shape(&path, &[3, 2]).unwrap_err().to_string();
    assert!(e.starts_with(&format!("{}: the array has shape [2, 3], [3, 2] is needed\n", path.display())), "{e}");
    let e = read(dir.path().join("none.npy")).unwrap_err().to_string();
    assert!(e.contains("none.npy: cannot read the file: No such file"), "{e}");
}

#[test]
fn a_failed_write_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let t = HostTensor::zeros([2], DataFormat::F32).unwrap();
    // The target is a directory with something in it: the rename fails.
    let target = dir.path().join("taken.npy");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("file"), "x").unwrap();
    let e = write(&target, &t).unwrap_err().to_string();
    assert!(e.contains("taken.npy: cannot write the file: "), "{e}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    assert!(write(dir.path().join("no/such/dir.npy"), &t).is_err());
    assert!(write(Path::new("/"), &t).is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// Whatever stands in a file, it is read or refused.
#[test]
fn damaged_files_never_panic() {
    let good = file(&dict("<f4", false, "(2, 3)"), &[0; 24]);
    let mut random = Random::new(11);
    let mut refused = 0;
    for _ in 0..3_000 {
        let mut bytes = good.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] = match random.below(3) {
                0 => random.next_u64() as u8,
                // Characters that mean something in a header.
                1 => b"0123456789(),'<>|fiOUTrue{}[]"[random.below(28) as usize],
                _ => bytes[at] ^ (1 << random.below(8)),
            };
        }
        refused += usize::from(parsed(&bytes).is_err());
    }
    assert!(refused > 1_500, "{refused}");
}
