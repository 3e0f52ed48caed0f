//! The targets of `cargo fuzz` on their corpus and on faults planted into it, with fixed seeds.
//!
//! `TRUEBLEU_FUZZ_CASES` sets the number of cases of each target; `make fuzz` runs more of them.

mod targets;

use std::path::{Path, PathBuf};

use truebleu_core::resampling::{Purpose, Stream};

const SEED: u64 = 35;
const CASES: u64 = 200;
/// Pieces that some reader or tokenizer is about.
const PIECES: [&[u8]; 28] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\0",
    b"\t",
    b" ",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"1-2",
    b"1.1",
    b"# text = ",
    b"_",
    b"&amp;",
    b"<think>",
    b"{",
    b"[",
    b"\"",
    b"\\u0000",
    b"1e999",
    b"-0",
    b"\xe4\xb8\xad",
    b"\xf0\x9f\x98\x80",
    b"e\xcc\x81",
    b"\xe2\x80\x8b",
    b"kind",
    b"null",
];

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).expect("a corpus for each target");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a readable file")).collect()
}

/// Plants one to four faults into bytes: pieces put in, doubled, removed or flipped.
fn damaged(bytes: &[u8], draws: &mut Stream) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=draws.below(4) {
        let place = draws.below(bytes.len() as u32 + 1) as usize;
        let end = (place + draws.below(20) as usize).min(bytes.len());
        match draws.below(4) {
            0 => {
                let piece = PIECES[draws.below(PIECES.len() as u32) as usize];
                bytes.splice(place..place, piece.iter().copied());
            }
            1 => {
                let copy = bytes[place..end].to_vec();
                bytes.splice(place..place, copy);
            }
            2 => drop(bytes.drain(place..end)),
            _ => bytes[place..end].iter_mut().for_each(|byte| *byte ^= 1 << draws.below(8)),
        }
    }
    bytes
}

#[test]
fn no_target_panics_on_its_corpus_or_on_damaged_bytes() {
    let cases = std::env::var("TRUEBLEU_FUZZ_CASES").ok().and_then(|n| n.parse().ok());
    for (name, target) in targets::TARGETS {
        let corpus = corpus(name);
        assert!(!corpus.is_empty(), "{name}");
        for bytes in &corpus {
            target(bytes);
        }
        for case in 0..cases.unwrap_or(CASES) {
            let mut draws = Stream::new(SEED, Purpose::Bootstrap, case);
            let bytes = &corpus[draws.below(corpus.len() as u32) as usize];
            target(&damaged(bytes, &mut draws));
        }
    }
}
