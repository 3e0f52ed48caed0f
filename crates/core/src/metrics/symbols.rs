//! Tokens as small integers, so that n-grams are made of integers.

/// The symbol of a token that the references do not have; no n-gram with it can match.
pub const UNKNOWN: u32 = u32::MAX;

/// Gives each different token a number.
#[derive(Debug, Default)]
pub struct Symbols {
    text: String,
    tokens: Vec<Token>,
    /// Open addressing; a slot holds a token's number plus one, and 0 is free.
    slots: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    hash: u64,
    start: u32,
    end: u32,
}

impl Symbols {
    /// Forgets all tokens and makes room for `capacity` different ones.
    pub fn reset(&mut self, capacity: usize) {
        self.text.clear();
        self.tokens.clear();
        let slots = (2 * capacity).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(slots, 0);
    }

    /// The number of a token, a new one if it is new.
    pub fn insert(&mut self, token: &str) -> u32 {
        let hash = hash(token.as_bytes());
        let slot = match self.find(hash, token) {
            Ok(symbol) => return symbol,
            Err(slot) => slot,
        };
        let start = self.text.len() as u32;
        self.text.push_str(token);
        self.tokens.push(Token { hash, start, end: self.text.len() as u32 });
        let number = self.tokens.len() as u32;
        self.slots[slot] = number;
        if self.tokens.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        number - 1
    }

    /// The number of a token, or `UNKNOWN`.
    #[must_use]
    pub fn get(&self, token: &str) -> u32 {
        self.find(hash(token.as_bytes()), token).unwrap_or(UNKNOWN)
    }

    /// The number of different tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// How much memory they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let tokens = size_of_val(self.tokens.as_slice());
        self.text.len() + tokens + size_of_val(self.slots.as_slice())
    }

    /// Every token once, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| &self.text[token.start as usize..token.end as usize])
    }

    /// The token's number, or the slot where it belongs.
    fn find(&self, hash: u64, token: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let number = self.slots[slot];
            if number == 0 {
                return Err(slot);
            }
            let known = self.tokens[number as usize - 1];
            if known.hash == hash
                && &self.text.as_bytes()[known.start as usize..known.end as usize]
                    == token.as_bytes()
            {
                return Ok(number - 1);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let length = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(length, 0);
        for (index, token) in self.tokens.iter().enumerate() {
            let mut slot = token.hash as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
    }
}

/// A quick hash of a short token; equality is always checked on the text.
fn hash(token: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = token.len() as u64;
    let (eights, rest) = token.as_chunks::<8>();
    for eight in eights {
        state = (state.rotate_left(23) ^ u64::from_le_bytes(*eight)).wrapping_mul(FACTOR);
    }
    let tail = rest.iter().fold(0, |tail, &byte| tail << 8 | u64::from(byte));
    state = (state.rotate_left(23) ^ tail).wrapping_mul(FACTOR);
    state ^ state >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tokens_share_a_number_and_others_do_not() {
        let mut symbols = Symbols::default();
        symbols.reset(1);
        let tokens: Vec<String> = (0..500).map(|number| format!("token{number}")).collect();
        let first: Vec<u32> = tokens.iter().map(|token| symbols.insert(token)).collect();
        assert_eq!(first, (0..500).collect::<Vec<_>>());
        assert!(tokens.iter().zip(&first).all(|(token, &number)| symbols.get(token) == number));
        assert!(tokens.iter().zip(&first).all(|(token, &number)| symbols.insert(token) == number));
        assert_eq!(symbols.get("token"), UNKNOWN);
        assert!(symbols.iter().eq(&tokens));
        assert_eq!(symbols.len(), 500);
        symbols.reset(4);
        assert_eq!(symbols.get("token0"), UNKNOWN);
    }
}
