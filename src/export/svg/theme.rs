//! The colors of pictures: the tokens of `www/berth.css`, section 1.

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Light,
    Dark,
}

/// Red, green and blue.
pub type Color = [u8; 3];

/// A token of the style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Paper,
    Water,
    WaterDeep,
    Quay,
    Berth,
    Text,
    Text2,
    Text3,
    OnOwner,
    Rule,
    RuleStrong,
    RuleWater,
    Tick,
    Accent,
    Feasible,
    Rejected,
    RejectedWash,
    Waiting,
    WaitingWash,
    OwnerEdge,
    /// From 1 to 8; 0 for DaemonSets.
    Owner(usize),
    /// Points that decide between nodes.
    Decides,
    /// Points that all nodes have.
    Equal,
    /// Fullness, from 0 to 5.
    Sound(usize),
}

/// Owners, in the order of their numbers.
const OWNERS: [u32; 8] = [
    0x7a8ddd, 0xf2b866, 0xf0e6b6, 0x25a980, 0xbfd6ce, 0x74d9f6, 0xa695b8, 0xa3873f,
];
/// Fullness, light and dark.
const SOUNDS: [(u32, u32); 6] = [
    (0xfbfdfd, 0x203653),
    (0xd3e3ec, 0x2b4a70),
    (0xa9c8dc, 0x3b6493),
    (0x74a3c6, 0x5a88bd),
    (0x3f78a8, 0x8bb3de),
    (0x174c7e, 0xc9e0f6),
];

impl Ink {
    /// The color in the light and in the dark theme.
    fn pair(self) -> (u32, u32) {
        let at = |list: &[(u32, u32)], number: usize| list.get(number).copied().unwrap_or_default();
        match self {
            Self::Paper => (0xfaf8f2, 0x0f1b2c),
            Self::Water => (0xe7eff2, 0x13243a),
            Self::WaterDeep => (0xd9e6eb, 0x1a3049),
            Self::Quay => (0xfffefa, 0x1a2c45),
            Self::Berth => (0xf1f5f5, 0x12213a),
            Self::Text => (0x12213a, 0xece6d8),
            Self::Text2 => (0x3f4d66, 0xc0c6cf),
            Self::Text3 => (0x5a6679, 0x9ba7b8),
            Self::OnOwner => (0x0b1626, 0x0b1626),
            Self::Rule => (0xddd8ca, 0x27394f),
            Self::RuleStrong => (0xb5ae9c, 0x465a74),
            Self::RuleWater => (0xc3d3da, 0x2b415b),
            Self::Tick => (0xd3dfe3, 0x233852),
            Self::Accent => (0x0a55c4, 0x86b6ff),
            Self::Feasible => (0x0d6b50, 0x6fcfab),
            Self::Rejected => (0xac301a, 0xff9b80),
            Self::RejectedWash => (0xf8e4dd, 0x45272b),
            Self::Waiting => (0x7d5200, 0xebbd63),
            Self::WaitingWash => (0xf6ebcf, 0x3b3322),
            Self::OwnerEdge => (0x12213a, 0x0b1523),
            // Of DaemonSets.
            Self::Owner(0) => (0xd3d0c6, 0xd3d0c6),
            Self::Owner(number) => {
                let color = OWNERS.get(number.wrapping_sub(1)).copied();
                (color.unwrap_or_default(), color.unwrap_or_default())
            }
            Self::Decides => (0x1c58ae, 0xb3d0ff),
            Self::Equal => (0xd6e3f7, 0x30528a),
            Self::Sound(number) => at(&SOUNDS, number),
        }
    }
}

impl Theme {
    /// A token's color.
    pub fn color(self, ink: Ink) -> Color {
        let (light, dark) = ink.pair();
        let [_, red, green, blue] = match self {
            Self::Light => light,
            Self::Dark => dark,
        }
        .to_be_bytes();
        [red, green, blue]
    }

    /// A mix of two tokens, by the percentage of the first: `color-mix(in srgb, …)`.
    pub fn mixed(self, ink: Ink, percent: u32, other: Ink) -> Color {
        let (one, two) = (self.color(ink), self.color(other));
        let mix = |(one, two): (u8, u8)| {
            let sum = u32::from(one) * percent + u32::from(two) * (100 - percent.min(100));
            u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX)
        };
        let [red, green, blue] = [0, 1, 2].map(|at| mix((one[at], two[at])));
        [red, green, blue]
    }
}

/// `#rrggbb`.
pub fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::{Ink, Theme, hex};

    const STYLES: &str = include_str!("../../../www/berth.css");

    /// The two colors of a token in the style sheet.
    fn token(name: &str) -> (String, String) {
        let start = format!("--{name}:");
        let line = STYLES.lines().find(|line| line.trim().starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("{name} is no token"));
        let mut colors = line.match_indices('#').map(|(at, _)| &line[at..at + 7]);
        let light = colors.next().expect("a color").to_owned();
        let dark = colors.next().map_or_else(|| light.clone(), str::to_owned);
        (light, dark)
    }

    #[test]
    fn colors_are_those_of_the_style_sheet() {
        let named = [
            ("paper", Ink::Paper),
            ("water", Ink::Water),
            ("water-deep", Ink::WaterDeep),
            ("quay", Ink::Quay),
            ("berth", Ink::Berth),
            ("ink", Ink::Text),
            ("ink-2", Ink::Text2),
            ("ink-3", Ink::Text3),
            ("ink-on-owner", Ink::OnOwner),
            ("rule", Ink::Rule),
            ("rule-strong", Ink::RuleStrong),
            ("rule-water", Ink::RuleWater),
            ("tick", Ink::Tick),
            ("accent", Ink::Accent),
            ("feasible", Ink::Feasible),
            ("rejected", Ink::Rejected),
            ("rejected-wash", Ink::RejectedWash),
            ("waiting", Ink::Waiting),
            ("waiting-wash", Ink::WaitingWash),
            ("owner-edge", Ink::OwnerEdge),
            ("decides", Ink::Decides),
            ("equal", Ink::Equal),
        ];
        let named = named.map(|(name, ink)| (name.to_owned(), ink));
        let owners = (1..=8).map(|n| (format!("owner-{n}"), Ink::Owner(n)));
        let sounds = (0..=5).map(|n| (format!("sound-{n}"), Ink::Sound(n)));
        for (name, ink) in named.into_iter().chain(owners).chain(sounds) {
            let drawn = [Theme::Light, Theme::Dark].map(|theme| hex(theme.color(ink)));
            assert_eq!((drawn[0].clone(), drawn[1].clone()), token(&name), "{name}");
        }
    }

    #[test]
    fn colors_are_mixed_by_percent() {
        let theme = Theme::Light;
        assert_eq!(
            theme.mixed(Ink::Quay, 100, Ink::Text),
            theme.color(Ink::Quay)
        );
        assert_eq!(theme.mixed(Ink::Quay, 0, Ink::Text), theme.color(Ink::Text));
        assert_eq!(theme.mixed(Ink::OnOwner, 50, Ink::Text), [15, 28, 48]);
    }
}
