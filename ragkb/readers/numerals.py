"""How word processors write the number of a list item."""

from collections.abc import Callable

CHINESE_DIGITS = "〇一二三四五六七八九"
LEGAL_SIMPLIFIED = "零壹贰叁肆伍陆柒捌玖"
LEGAL_TRADITIONAL = "零壹貳參肆伍陸柒捌玖"
STEMS = "甲乙丙丁戊己庚辛壬癸"
BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
         (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


def roman(number: int) -> str:
    """1994 is MCMXCIV; zero and above 4,999 stay decimal."""
    if not 0 < number < 5000:
        return str(number)
    parts: list[str] = []
    for value, letters in ROMAN:
        count, number = divmod(number, value)
        parts.append(letters * count)
    return "".join(parts)


def letters(number: int) -> str:
    """1 is A, 26 Z, 27 AA, 53 AAA, as Word repeats them."""
    if not 0 < number <= 780:
        return str(number)
    count, index = divmod(number - 1, 26)
    return chr(ord("A") + index) * (count + 1)


def chinese(number: int, digits: str = CHINESE_DIGITS, units: str = "十百千") -> str:
    """12 is 十二, 105 一百〇五; above 9,999 decimal."""
    if not 0 < number < 10_000:
        return digits[0] if number == 0 else str(number)
    written = ""
    places = [int(digit) for digit in str(number)]
    for place, digit in zip(range(len(places) - 1, -1, -1), places, strict=True):
        if digit:
            written += digits[digit] + (units[place - 1] if place else "")
        elif written and not written.endswith(digits[0]):
            written += digits[0]
    written = written.rstrip(digits[0])
    ten = digits[1] + units[0]
    return (
        written[1:]
        if 10 <= number < 20 and digits == CHINESE_DIGITS and written[:2] == ten
        else written
    )


def _from(table: str) -> Callable[[int], str]:
    return lambda number: table[number - 1] if 0 < number <= len(table) else str(number)


def _digit_by_digit(number: int) -> str:
    return "".join(
        CHINESE_DIGITS[int(digit)] if digit.isdigit() else digit for digit in str(number)
    )


def _fullwidth(number: int) -> str:
    return "".join(chr(0xFF10 + int(digit)) if digit.isdigit() else digit for digit in str(number))


# By the names of ST_NumberFormat (ISO 29500-1, 17.18.59); all others are written as decimals.
FORMATS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02}",
    "upperRoman": roman,
    "lowerRoman": lambda number: roman(number).lower(),
    "upperLetter": letters,
    "lowerLetter": lambda number: letters(number).lower(),
    "chineseCounting": chinese,
    "chineseCountingThousand": chinese,
    "japaneseCounting": chinese,
    "taiwaneseCounting": chinese,
    "taiwaneseCountingThousand": chinese,
    "ideographDigital": _digit_by_digit,
    "taiwaneseDigital": _digit_by_digit,
    "japaneseDigitalTenThousand": _digit_by_digit,
    "chineseLegalSimplified": lambda number: chinese(number, LEGAL_SIMPLIFIED, "拾佰仟"),
    "ideographLegalTraditional": lambda number: chinese(number, LEGAL_TRADITIONAL, "拾佰仟"),
    "ideographTraditional": _from(STEMS),
    "ideographZodiac": _from(BRANCHES),
    "decimalEnclosedCircle": _from(CIRCLED),
    "decimalEnclosedCircleChinese": _from(CIRCLED),
    "ideographEnclosedCircle": _from("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"),
    "decimalFullWidth": _fullwidth,
    "decimalFullWidth2": _fullwidth,
    "decimalEnclosedParen": lambda number: f"({number})",
    "decimalEnclosedFullstop": lambda number: f"{number}.",
    "numberInDash": lambda number: f"- {number} -",
}


def written(number: int, number_format: str) -> str:
    """The number as a list of that format shows it."""
    return FORMATS.get(number_format, str)(number)
