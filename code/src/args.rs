//! Arguments of figures and values: `key=value` pairs with typed getters whose errors name the key.

use std::collections::BTreeMap;
use std::str::FromStr;

/// `key=value` pairs, each key at most once, in the order of their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args(BTreeMap<String, String>);

/// What is wrong with the arguments of a figure or value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgError {
    /// A word is not of the form `key=value`.
    #[error("`{0}` is not of the form key=value")]
    NotAPair(String),
    /// A key is there twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A key that is needed is not there.
    #[error("`{0}=…` is missing")]
    Missing(String),
    /// A key is not one that this figure knows.
    #[error("`{key}` is not known here; known are: {known}")]
    Unknown {
        /// The key.
        key: String,
        /// The keys that would be understood.
        known: String,
    },
    /// A value can not be read, or is outside what the figure can show.
    #[error("`{key}={value}`: {wanted} is wanted")]
    Value {
        /// The key.
        key: String,
        /// The value as given.
        value: String,
        /// What would be understood.
        wanted: String,
    },
}

impl Args {
    /// Returns the arguments that the words `key=value` spell.
    ///
    /// # Errors
    /// For a word without `=` or with nothing before it, and for a key given twice.
    pub fn parse<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Result<Args, ArgError> {
        let mut args = Args::default();
        for word in words {
            let word = word.as_ref();
            let pair = word.split_once('=').filter(|(key, _)| !key.is_empty());
            let (key, value) = pair.ok_or_else(|| ArgError::NotAPair(word.to_owned()))?;
            if args.0.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(ArgError::Twice(key.to_owned()));
            }
        }
        Ok(args)
    }

    /// Returns the same arguments with `key` set to `value`.
    pub fn with(mut self, key: &str, value: impl ToString) -> Args {
        self.0.insert(key.to_owned(), value.to_string());
        self
    }

    /// Returns the pairs in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns nothing if every key is one of `known`.
    ///
    /// # Errors
    /// [`ArgError::Unknown`] for the first that is not, so that a misspelt key is never ignored.
    pub fn only(&self, known: &[&str]) -> Result<(), ArgError> {
        match self.0.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                Err(ArgError::Unknown {
                    key: key.clone(),
                    known,
                })
            }
        }
    }

    /// Returns the text of `key`, if it is there.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Returns the text of `key`.
    ///
    /// # Errors
    /// [`ArgError::Missing`].
    pub fn str(&self, key: &str) -> Result<&str, ArgError> {
        self.get(key).ok_or_else(|| ArgError::Missing(key.to_owned()))
    }

    /// Returns the whole number that `key` gives.
    ///
    /// # Errors
    /// [`ArgError::Missing`] or [`ArgError::Value`].
    pub fn u64(&self, key: &str) -> Result<u64, ArgError> {
        self.read(key, "a whole number")
    }

    /// Returns the whole number that `key` gives, or `default` where it is absent.
    ///
    /// # Errors
    /// [`ArgError::Value`].
    pub fn u64_or(&self, key: &str, default: u64) -> Result<u64, ArgError> {
        match self.get(key) {
            None => Ok(default),
            Some(_) => self.u64(key),
        }
    }

    /// Returns the whole number that `key` gives, or `default`, provided that `least <= it <= most`.
    ///
    /// # Errors
    /// [`ArgError::Value`], which names the two limits.
    pub fn u64_within(&self, key: &str, default: u64, least: u64, most: u64) -> Result<u64, ArgError> {
        let number = self.u64_or(key, default)?;
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        Err(self.wrong(key, &format!("a number from {least} to {most}")))
    }

    /// Returns the finite number that `key` gives.
    ///
    /// # Errors
    /// [`ArgError::Missing`] or [`ArgError::Value`].
    pub fn f64(&self, key: &str) -> Result<f64, ArgError> {
        let number: f64 = self.read(key, "a number")?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.wrong(key, "a finite number"))
        }
    }

    /// Returns the two whole numbers that `key=a,b` gives, or `default` where it is absent.
    ///
    /// # Errors
    /// [`ArgError::Value`].
    pub fn pair_or(&self, key: &str, default: [u64; 2]) -> Result<[u64; 2], ArgError> {
        let Some(text) = self.get(key) else {
            return Ok(default);
        };
        let pair = text
            .split_once(',')
            .and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
        pair.ok_or_else(|| self.wrong(key, "two whole numbers like 16,16"))
    }

    /// Returns the member of `choices` that `key` names, or `default` where it is absent.
    ///
    /// # Errors
    /// [`ArgError::Value`], which lists the choices.
    pub fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)], default: T) -> Result<T, ArgError> {
        let Some(text) = self.get(key) else {
            return Ok(default);
        };
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let chosen = choices
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| *value);
        chosen.ok_or_else(|| self.wrong(key, &format!("one of {}", names.join(", "))))
    }

    fn read<T: FromStr>(&self, key: &str, wanted: &str) -> Result<T, ArgError> {
        self.str(key)?.parse().map_err(|_| self.wrong(key, wanted))
    }

    /// Returns the error that says what `key` should have been.
    pub fn wrong(&self, key: &str, wanted: &str) -> ArgError {
        let value = self.get(key).unwrap_or_default().to_owned();
        ArgError::Value {
            key: key.to_owned(),
            value,
            wanted: wanted.to_owned(),
        }
    }
}

impl std::fmt::Display for Args {
    /// Writes the pairs as they are read, separated by spaces.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (key, value)) in self.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{key}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_type() -> Result<(), ArgError> {
        let args = Args::parse(["rows=8", "block=16,4", "side=reads", "ms=0.5"])?;
        assert_eq!(args.u64("rows")?, 8);
        assert_eq!(args.u64_or("cols", 64)?, 64);
        assert_eq!(args.pair_or("block", [1, 1])?, [16, 4]);
        assert_eq!(args.choice("side", &[("reads", 1), ("writes", 2)], 2)?, 1);
        assert_eq!(args.f64("ms")?, 0.5);
        assert_eq!(args.to_string(), "block=16,4 ms=0.5 rows=8 side=reads");
        Ok(())
    }

    #[test]
    fn every_error_names_its_key() {
        let args = Args::parse(["rows=many", "block=16", "side=up", "ms=inf"]).unwrap();
        let errors = [
            ("rows", args.u64("rows").unwrap_err()),
            ("cols", args.u64("cols").unwrap_err()),
            ("block", args.pair_or("block", [1, 1]).unwrap_err()),
            ("side", args.choice("side", &[("reads", 1)], 1).unwrap_err()),
            ("ms", args.f64("ms").unwrap_err()),
            ("rows", args.only(&["block", "side", "ms"]).unwrap_err()),
            ("=3", Args::parse(["=3"]).unwrap_err()),
            ("rows", Args::parse(["rows=1", "rows=2"]).unwrap_err()),
        ];
        for (key, error) in errors {
            assert!(error.to_string().contains(&format!("`{key}")), "{error}");
        }
    }

    #[test]
    fn limits_are_named() {
        let args = Args::default().with("rows", 99);
        assert_eq!(args.u64_within("cols", 4, 1, 40), Ok(4));
        let error = args.u64_within("rows", 4, 1, 40).unwrap_err();
        assert_eq!(error.to_string(), "`rows=99`: a number from 1 to 40 is wanted");
    }
}
