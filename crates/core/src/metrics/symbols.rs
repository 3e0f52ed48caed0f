//! Tokens as small integers, so that n-grams consist of integers.

/// Symbol of a token that the references do not have; no n-gram with it can match.
pub const UNKNOWN: u32 = u32::MAX;

/// Part of a hash that a slot stores.
const TAG: u64 = !0 << 32;

/// Numbers of tokens, one for each different token.
#[derive(Debug, Default)]
pub struct Symbols {
    text: String,
    tokens: Vec<Token>,
    /// Hash table with open addressing; a slot has a part of the token's hash and the token's
    /// number plus one, or 0 if it is free.
    slots: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    letters: Letters,
    start: u32,
}

/// Length of a token with its first and last letters, which are all letters of most tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letters {
    length: usize,
    first: u64,
    last: u64,
}

impl Symbols {
    /// Removes all tokens and reserves memory for `capacity` different ones.
    pub fn reset(&mut self, capacity: usize) {
        self.text.clear();
        self.text.reserve(8 * capacity);
        self.tokens.clear();
        self.tokens.reserve(capacity);
        let slots = (2 * capacity).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(slots, 0);
    }

    /// Returns the number of a token; a new token gets the next number.
    pub fn insert(&mut self, token: &str) -> u32 {
        let letters = Letters::of(token.as_bytes());
        let hash = letters.hash();
        let slot = match self.find(letters, hash, token) {
            Ok(symbol) => return symbol,
            Err(slot) => slot,
        };
        let start = self.text.len() as u32;
        self.text.push_str(token);
        self.tokens.push(Token { letters, start });
        let number = self.tokens.len() as u32;
        self.slots[slot] = hash & TAG | u64::from(number);
        if self.tokens.len() * 2 > self.slots.len() {
            self.grow();
        }
        number - 1
    }

    /// Returns the number of a token, or `UNKNOWN`.
    #[must_use]
    pub fn get(&self, token: &str) -> u32 {
        let letters = Letters::of(token.as_bytes());
        self.find(letters, letters.hash(), token).unwrap_or(UNKNOWN)
    }

    /// Returns the number of different tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the number of bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let tokens = size_of_val(self.tokens.as_slice());
        self.text.len() + tokens + size_of_val(self.slots.as_slice())
    }

    /// Iterates over the tokens in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| {
            let start = token.start as usize;
            &self.text[start..start + token.letters.length]
        })
    }

    /// Returns the token's number, or the slot to insert it.
    fn find(&self, letters: Letters, hash: u64, token: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == 0 {
                return Err(slot);
            }
            if (found ^ hash) & TAG == 0 {
                let number = (found & !TAG) as u32 - 1;
                let known = self.tokens[number as usize];
                if known.letters == letters && (letters.are_all() || self.has_text(known, token)) {
                    return Ok(number);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn has_text(&self, known: Token, token: &str) -> bool {
        let start = known.start as usize;
        &self.text.as_bytes()[start..start + token.len()] == token.as_bytes()
    }

    fn grow(&mut self) {
        let length = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(length, 0);
        for (index, token) in self.tokens.iter().enumerate() {
            let hash = token.letters.hash();
            let mut slot = hash as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = hash & TAG | (index as u64 + 1);
        }
    }
}

impl Letters {
    fn of(token: &[u8]) -> Self {
        let length = token.len();
        // Letters may be counted twice; with the length they still identify the token.
        let (first, last) = if let (Some(first), Some(last)) =
            (token.first_chunk::<8>(), token.last_chunk::<8>())
        {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) =
            (token.first_chunk::<4>(), token.last_chunk::<4>())
        {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        } else if length > 0 {
            let [first, middle, last] =
                [token[0], token[length / 2], token[length - 1]].map(u64::from);
            (first | middle << 8, last)
        } else {
            (0, 0)
        };
        Self { length, first, last }
    }

    /// Returns true if the token has no other letters.
    fn are_all(self) -> bool {
        self.length <= 16
    }

    fn hash(self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = (self.first ^ self.length as u64).wrapping_mul(FACTOR).rotate_left(23);
        let state = (state ^ self.last).wrapping_mul(FACTOR);
        state ^ state >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_tokens_share_a_number() {
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

    #[test]
    fn tokens_that_differ_in_one_letter_are_different() {
        for length in 0..40 {
            let token = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"[..length].to_owned();
            let mut symbols = Symbols::default();
            symbols.reset(2);
            assert_eq!(symbols.insert(&token), 0);
            for place in 0..length {
                let mut other = token.clone();
                other.replace_range(place..=place, "-");
                assert_eq!(symbols.get(&other), UNKNOWN);
                assert_eq!(symbols.insert(&other), place as u32 + 1);
                assert_eq!(symbols.insert(&token), 0);
            }
            assert_eq!(symbols.get(&format!("{token}a")), UNKNOWN);
        }
    }
}
