"""Characters of the symbol fonts, which documents store as private-use codes."""

import re

_GREEK_LETTERS = dict(
    zip(
        "ABGDEZHQIKLMNXOPRSTUFCYWabgdezhqiklmnxoprVstufcyw",
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρςστυφχψω",
        strict=True,
    )
)
_SYMBOL = {
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓",
    0xB0: "°", 0xB1: "±", 0xB3: "≥", 0xB4: "×", 0xB5: "∝", 0xB6: "∂", 0xB7: "•",
    0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xC5: "⊕", 0xC7: "∩", 0xC8: "∪",
    0xCC: "⊂", 0xCE: "∈", 0xD0: "∠", 0xD1: "∇", 0xD2: "®", 0xD3: "©", 0xD4: "™",
    0xD5: "∏", 0xD6: "√", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_WINGDINGS = {
    0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖", 0x77: "◆",
    0x9F: "•", 0xA7: "▪", 0xA8: "◻", 0xB2: "✩", 0xD8: "➢", 0xDF: "←", 0xE0: "→",
    0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒",
    0xFE: "☑", 0x4A: "☺", 0x4C: "☹", 0x46: "☞", 0xAB: "★", 0xA1: "○",
}  # fmt: skip
_WINGDINGS_2 = {
    0x50: "✓", 0x4F: "✗", 0x52: "☑", 0x51: "☒", 0x53: "☒", 0xA3: "□", 0x98: "●",
}  # fmt: skip
# What office programs put before list items and for "-->", when the font is not known.
_USUAL = {
    0xF000 + code: _WINGDINGS[code]
    for code in (0x6C, 0x6E, 0x6F, 0x71, 0x75, 0x76, 0xA7, 0xA8, 0xD8, 0xDF, 0xE0, 0xE8, 0xFC, 0xFE)
} | {0xF000 + code: _SYMBOL[code] for code in (0xAB, 0xAC, 0xAD, 0xAE, 0xAF, 0xB7, 0xDE)}
PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")


def without_private(text: str) -> str:
    """Replace the usual bullets and arrows; drop other private-use characters."""
    return PRIVATE.sub(lambda found: _USUAL.get(ord(found[0]), ""), text)


def is_symbol_font(font: str) -> bool:
    """Whether `symbol` knows the font, by its name in a document (a PDF adds a prefix)."""
    return _plain_name(font).startswith(("symbol", "wingdings"))


def symbol(font: str, code: int) -> str:
    """The character that `font` shows for `code` (mostly 0xF000 plus a byte), or nothing."""
    if 0xF000 <= code <= 0xF0FF:
        code -= 0xF000
    elif code >= 0x20:
        return chr(code) if code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else ""
    name = _plain_name(font)
    if name.startswith("wingdings2"):
        return _WINGDINGS_2.get(code, "")
    if name.startswith("wingdings"):
        return _WINGDINGS.get(code, "")
    if name.startswith("symbol"):
        return (
            _SYMBOL.get(code)
            or _GREEK_LETTERS.get(chr(code))
            or (chr(code) if 0x20 <= code < 0x7F else "")
        )
    return chr(code) if code >= 0x20 else ""


def _plain_name(font: str) -> str:
    """`ABCDEF+Wingdings-Regular` and `Wingdings 2` without what varies."""
    return font.rpartition("+")[2].lower().replace(" ", "").replace("-", "")
