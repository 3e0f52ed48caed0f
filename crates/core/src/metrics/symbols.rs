//! Tokens as small integers, so that n-grams are made of integers.

/// The symbol of a token that the references do not have; no n-gram with it can match.
pub const UNKNOWN: u32 = u32::MAX;

/// The part of a hash that a slot keeps.
const TAG: u64 = !0 << 32;

/// Gives each different token a number.
#[derive(Debug, Default)]
pub struct Symbols {
    text: String,
    tokens: Vec<Token>,
    /// Open addressing; a slot holds a token's number plus one below a part of its hash, and 0 is free.
    slots: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    letters: Letters,
    start: u32,
}

/// The length of a token, its first letters and its last ones, which are all there is of most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letters {
    length: usize,
    first: u64,
    last: u64,
}

impl Symbols {
    /// Forgets all tokens and makes room for `capacity` different ones.
    pub fn reset(&mut self, capacity: usize) {
        self.text.clear();
        self.text.reserve(8 * capacity);
        self.tokens.clear();
        self.tokens.reserve(capacity);
        let slots = (2 * capacity).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(slots, 0);
    }

    /// The number of a token, a new one if it is new.
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

    /// The number of a token, or `UNKNOWN`.
    #[must_use]
    pub fn get(&self, token: &str) -> u32 {
        let letters = Letters::of(token.as_bytes());
        self.find(letters, letters.hash(), token).unwrap_or(UNKNOWN)
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
        self.tokens.iter().map(|token| {
            let start = token.start as usize;
            &self.text[start..start + token.letters.length]
        })
    }

    /// The token's number, or the slot where it belongs.
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
        // Letters may be counted twice; with the length they still say which ones they are.
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

    /// Whether the token has no other letters.
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
