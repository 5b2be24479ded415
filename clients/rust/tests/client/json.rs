//! Just enough JSON to read the protocol's vectors.

use std::collections::BTreeMap;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads a whole text.
    pub fn read(text: &str) -> Self {
        let mut reader = Reader { rest: text.trim() };
        let value = reader.value();
        assert_eq!("", reader.rest, "after the value");
        value
    }

    /// A field of an object; `Null` if it has none of that name.
    pub fn get(&self, name: &str) -> &Self {
        match self {
            Self::Object(fields) => fields.get(name).unwrap_or(&Self::Null),
            other => panic!("no object: {:?}", other),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            other => panic!("no text: {:?}", other),
        }
    }

    pub fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            other => panic!("no number: {:?}", other),
        }
    }

    pub fn int(&self) -> i32 {
        self.number() as i32
    }

    pub fn list(&self) -> &[Self] {
        match self {
            Self::List(list) => list,
            other => panic!("no list: {:?}", other),
        }
    }

    pub fn ints(&self) -> Vec<i32> {
        self.list().iter().map(Self::int).collect()
    }

    pub fn object(&self) -> &BTreeMap<String, Self> {
        match self {
            Self::Object(fields) => fields,
            other => panic!("no object: {:?}", other),
        }
    }

    /// The bytes that a vector means (protocol/vectors/README.md).
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::List(parts) => parts.iter().flat_map(Self::bytes).collect(),
            Self::Object(fields) => match fields.get("hex") {
                Some(hex) => {
                    let hex = hex.text().as_bytes().chunks(2).map(|two| {
                        u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()
                    });
                    hex.collect()
                }
                None => fields["text"].text().repeat(fields["times"].int() as usize).into_bytes(),
            },
            other => panic!("no bytes: {:?}", other),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Json {
        for (word, value) in
            [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))]
        {
            if self.take(word) {
                return value;
            }
        }
        if self.rest.starts_with('"') {
            Json::Text(self.string())
        } else if self.take("[") {
            Json::List(self.items("]", Self::value))
        } else if self.take("{") {
            let fields = self.items("}", |reader| {
                let name = reader.string();
                assert!(reader.take(":"));
                (name, reader.value())
            });
            Json::Object(fields.into_iter().collect())
        } else {
            let end = self.rest.find(|c: char| !"+-.eE0123456789".contains(c));
            let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest.trim_start();
            Json::Number(number.parse().unwrap())
        }
    }

    fn items<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        while !self.take(end) {
            assert!(items.is_empty() || self.take(","));
            items.push(item(self));
        }
        items
    }

    fn string(&mut self) -> String {
        let mut text = String::new();
        let mut chars = self.rest.strip_prefix('"').expect("a string").chars();
        loop {
            match chars.next().expect("the end of the string") {
                '"' => break,
                '\\' => text.push(match chars.next().unwrap() {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'u' => {
                        let mut code = || {
                            let digits: String = chars.by_ref().take(4).collect();
                            u16::from_str_radix(&digits, 16).unwrap()
                        };
                        let mut units = vec![code()];
                        if (0xd800..0xdc00).contains(&units[0]) {
                            assert_eq!(Some(('\\', 'u')), chars.next().zip(chars.next()));
                            let digits: String = chars.by_ref().take(4).collect();
                            units.push(u16::from_str_radix(&digits, 16).unwrap());
                        }
                        char::decode_utf16(units).next().unwrap().unwrap()
                    }
                    same => same,
                }),
                other => text.push(other),
            }
        }
        self.rest = chars.as_str().trim_start();
        text
    }

    fn take(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
}

#[test]
fn json_is_read() {
    let read = Json::read(r#" {"a": [1, -2.5, "x\u00e9\n\ud83d\udc0d\""], "b": {}, "c": null} "#);
    assert_eq!(-2.5, read.get("a").list()[1].number());
    assert_eq!("x\u{e9}\n\u{1f40d}\"", read.get("a").list()[2].text());
    assert!(read.get("b").object().is_empty());
    assert_eq!(&Json::Null, read.get("c"));
    let bytes = Json::read(r#"["Ann ", {"hex": "ff00"}, {"text": "xy", "times": 2}]"#);
    assert_eq!(b"Ann \xff\x00xyxy".to_vec(), bytes.bytes());
}
