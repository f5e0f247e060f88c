"""Characters of the symbol fonts, which documents store as private-use codes."""

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


def symbol(font: str, code: int) -> str:
    """The character that `font` shows for `code` (mostly 0xF000 plus a byte), or nothing."""
    if 0xF000 <= code <= 0xF0FF:
        code -= 0xF000
    elif code >= 0x20:
        return chr(code) if code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else ""
    lowered = font.lower()
    if lowered.startswith("wingdings 2"):
        return _WINGDINGS_2.get(code, "")
    if lowered.startswith("wingdings"):
        return _WINGDINGS.get(code, "")
    if lowered == "symbol":
        return (
            _SYMBOL.get(code)
            or _GREEK_LETTERS.get(chr(code))
            or (chr(code) if 0x20 <= code < 0x7F else "")
        )
    return chr(code) if code >= 0x20 else ""
