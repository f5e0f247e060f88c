import codecs
import json
import os
import random
from pathlib import Path

import pytest
from reading_bytes import evaluation

from ragkb.readers.decoding import decode, decode_declared

FRENCH = (
    "Le comité a décidé que les élèves de l'école recevront leurs résultats à l'été. La forêt près "
    "du château était très agréable, et le garçon préférait les gâteaux à la crème brûlée. Nous "
    "avons déjà reçu votre requête concernant l'hôtel ; l'œuvre complète coûte 5 €. "
)
ENCODINGS = {
    "simplified": ("utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be"),
    "traditional": ("utf-8", "big5", "big5hkscs", "gb18030", "utf-16-le", "utf-16-be"),
    "english": ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"),
    "french": ("utf-8", "cp1252", "latin-1", "utf-16-le", "utf-16-be"),
}
LENGTHS = (10, 20, 50, 100, 300, 1000, 5000, 20000)
SAMPLES = 7000 if os.environ.get("RAGKB_SOAK") else 700


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("会议纪要", "gb18030"),
        ("春江潮水连海平，海上明月共潮生。", "gb18030"),
        ("資訊安全管理辦法第一章總則", "big5"),
        ("春江潮水连海平，海上明月共潮生。", "utf-16-le"),
        ("春江潮水连海平，海上明月共潮生。", "utf-16-be"),
        ("The plain old text in two bytes a letter.", "utf-16-le"),
        ("Le café coûte 5 €. Résumé déjà reçu.", "cp1252"),
        ("これは日本語の文章です。検索できます。", "cp932"),
        ("これは日本語のテキストです。", "euc_jp"),
        ("Привет, мир. Это обычный русский текст.", "cp1251"),
        ("이 문서는 한국어로 쓰여 있습니다.", "cp949"),
        ("ordinary ASCII, nothing else", "utf-8"),
        ("表情😀与生僻字𠮷", "utf-8"),
    ],
)
def test_text_without_a_mark_is_decoded(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_no_text(mark: bytes, encoding: str) -> None:
    decoded = decode(mark + "正文 text".encode(encoding))
    assert decoded is not None
    assert decoded.text == "正文 text"


def test_utf8_cut_inside_a_character_is_still_utf8() -> None:
    decoded = decode("日志文件末尾被截断".encode()[:-1])
    assert decoded is not None
    assert decoded.encoding == "utf-8"
    assert decoded.text == "日志文件末尾被截"


def test_a_few_wrong_bytes_do_not_change_the_encoding() -> None:
    log = "错误：磁盘空间不足，请清理日志。\n".encode("gbk") * 20
    decoded = decode(log[:100] + b"\xff" + log[100:])
    assert decoded is not None
    assert decoded.encoding == "gb18030"
    mixed = ("连接失败，请重试。\n" * 20).encode() + b"\xff\xfe\n" + "结束。".encode()
    decoded = decode(mixed)
    assert decoded is not None
    assert decoded.encoding == "utf-8"


def test_binary_data_is_no_text() -> None:
    noise = random.Random(4)
    for size in (200, 5000, 300_000):
        assert decode(noise.randbytes(size)) is None
    assert decode(bytes(range(256)) * 20) is None
    assert decode(b"\xff" * 300) is None


def test_the_locale_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "会议纪要：下周三".encode("gbk")
    before = decode(content)
    for name in ("LANG", "LC_ALL"):
        monkeypatch.setenv(name, "zh_TW.BIG5")
    assert decode(content) == before


def test_a_declaration_is_believed_unless_the_bytes_say_otherwise() -> None:
    assert decode_declared("表格".encode("gbk"), "gb2312") == decode("表格".encode("gb18030"))
    stale = decode_declared("网页已经转换为新的编码".encode(), "gb2312")
    assert stale is not None
    assert stale.encoding == "utf-8"
    unknown = decode_declared("网页".encode(), "x-no-such-thing")
    assert unknown is not None
    assert unknown.text == "网页"


def test_samples_of_real_text_are_decoded_exactly() -> None:
    opencc = pytest.importorskip("opencc")
    simplified = _texts("cmrc")[:300_000] + _texts("xquadr_zh")
    texts = {
        "simplified": simplified,
        "traditional": opencc.OpenCC("s2t").convert(simplified),
        "english": _texts("xquadr_en"),
        "french": FRENCH * 80,
    }
    chance = random.Random(20240518)
    exact = sum(_is_exact(chance, texts) for _ in range(SAMPLES))
    assert exact >= 0.985 * SAMPLES


def _texts(name: str) -> str:
    lines = Path(evaluation(), name, "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return "\n".join(json.loads(line)["text"] for line in lines)


def _is_exact(chance: random.Random, texts: dict[str, str]) -> bool:
    language = chance.choice(list(texts))
    encoding, length = chance.choice(ENCODINGS[language]), chance.choice(LENGTHS)
    start = chance.randrange(len(texts[language]) - length)
    content = texts[language][start : start + length].encode(encoding, "ignore")
    decoded = decode(content)
    return decoded is not None and decoded.text == content.decode(encoding)
