import pytest

from ragkb.readers.numerals import written


@pytest.mark.parametrize(
    ("number", "number_format", "shown"),
    [
        (4, "decimal", "4"),
        (4, "decimalZero", "04"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (27, "upperLetter", "AA"),
        (2, "lowerLetter", "b"),
        (10, "chineseCounting", "十"),
        (12, "chineseCounting", "十二"),
        (20, "chineseCountingThousand", "二十"),
        (105, "japaneseCounting", "一百〇五"),
        (2024, "ideographDigital", "二〇二四"),
        (12, "chineseLegalSimplified", "壹拾贰"),
        (3, "ideographTraditional", "丙"),
        (1, "ideographZodiac", "子"),
        (20, "decimalEnclosedCircle", "⑳"),
        (21, "decimalEnclosedCircle", "21"),
        (15, "decimalFullWidth", "１５"),
        (0, "chineseCounting", "〇"),
        (0, "upperRoman", "0"),
        (7, "noSuchFormat", "7"),
    ],
)
def test_numbers_are_written_as_lists_show_them(
    number: int, number_format: str, shown: str
) -> None:
    assert written(number, number_format) == shown
