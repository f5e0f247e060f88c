"""How usual a character is in running text, as a weight: 1 for the most usual, below 0 for noise.

The frequent ones are listed; the rest follows from where the national sets put them: GB 2312 and
Big5 each have a first level of everyday characters (3,755 and 5,401) and a second of rare ones.
"""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

FREQUENT_CHINESE = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成"
    "方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使"
    "情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老"
    "给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目"
    "太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王"
    "象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔林收号花曾服满段流集速连影"
    "步组往城农低型越深算布州河亲备苦吃六七八九查责况站早专极层片始京续每照离言快调济火远办委增率转音单足失英图除企举底参李红"
    "龙室兵准约局阿土改构联支究示试持击历整推武热议断爱研消周容党"
    # the traditional forms of these
    "這個們來爲為國說時會對於過發後裏裡種經麼學現當沒動還進樣開從實軍無與長機關點業將兩間問並應戰頭體見產話內給門兒東聲員"
    "論處義幾認條氣題爾別變總電數報結務場計資許統區隊決馬書則聽卻達強難權設記類據邊張該規萬覺術領確傳師觀讓識帶導爭運筆號滿"
    "連組農親備吃責況專極層續離調濟遠辦轉單圖舉參紅龍準約構聯試擊歷熱議斷愛黨"
)
CHINESE_MARKS = frozenset("，。、；：？！“”‘’（）《》〈〉「」『』【】…—·　")
FREQUENT_KOREAN = frozenset(
    "이다의에는을를가지로고하한기은나도사인대어리서시자라아만그수정일있보부해제들전상주여과게국니스것원면성장유오요선조우비소"
    "구치동신경무되적년세해야할했습와중공으검색문관계학생명실용개발"
)
USUAL_LATIN = frozenset("éèêëàâäáãåçñôöòóõøûüùúîïíìßæœÉÈÀÂÄÇÖÜÓÅØÑ’‘“”«»–—…€°©®£§·•\xa0º²")

TRAILS = range(0xA1, 0xFF)
BIG5_TRAILS = (*range(0x40, 0x7F), *TRAILS)

FREQUENT, ASCII, EVERYDAY, RARE, FOREIGN, NOISE, BROKEN = 1.0, 0.9, 0.5, 0.1, -0.2, -2.0, -4.0
RANGES = (
    ("\u3041", "\u30fe", 0.9),  # kana
    ("\uff61", "\uff9f", -1.0),  # halfwidth katakana: what other encodings look like in cp932
    ("\uff01", "\uff5e", EVERYDAY),  # fullwidth ASCII
    ("\u0410", "\u042f", FOREIGN),  # Cyrillic capitals: rare in text, frequent in wrong guesses
    ("\u0430", "\u044e", 0.7),  # Cyrillic without the last letter: 0xFF fills erased memory
)


@lru_cache(maxsize=65536)
def weight(char: str) -> float:
    """The weight of one character in any encoding but cp1252."""
    if char in "\t\n\r" or " " <= char <= "~":
        return ASCII
    if char == "\ufffd":
        return BROKEN
    if char in _frequent():
        return FREQUENT
    if char in _everyday():
        return EVERYDAY
    for (
        first,
        last,
        weight_of_range,
    ) in RANGES:  # before the sets: GB 2312 lists foreign letters, too
        if first <= char <= last:
            return weight_of_range
    return RARE if char in _listed() else _weight_by_category(char)


def latin_weight(char: str) -> float:
    """The weight of one character beyond ASCII if the text is in cp1252."""
    if char in USUAL_LATIN:
        return FREQUENT
    if char == "\ufffd" or unicodedata.category(char) == "Cc":
        return BROKEN
    return FOREIGN


def _weight_by_category(char: str) -> float:
    match unicodedata.category(char):
        case "Cc" | "Co" | "Cn" | "Cs":
            return NOISE
        case "So" | "Sk" | "Cf" | "Mn" if char > "\u2000":  # emoji, their joiners and modifiers
            return EVERYDAY
        case "Lu" | "Ll" if char > "\u0370":  # Greek, Cyrillic
            return EVERYDAY
        case _:
            return FOREIGN


@cache
def _frequent() -> frozenset[str]:
    return FREQUENT_CHINESE | FREQUENT_KOREAN | CHINESE_MARKS


@cache
def _everyday() -> frozenset[str]:
    simplified = _square("gb2312", range(0xB0, 0xD8), TRAILS)
    traditional = _square("big5", range(0xA4, 0xC7), BIG5_TRAILS)
    return simplified | traditional


@cache
def _listed() -> frozenset[str]:
    simplified = _square("gb2312", range(0xA1, 0xF8), TRAILS)
    traditional = _square("big5", range(0xA1, 0xFA), BIG5_TRAILS)
    korean = _square("euc_kr", range(0xB0, 0xC9), TRAILS)
    return simplified | traditional | korean


def _square(encoding: str, leads: range, trails: Sequence[int]) -> frozenset[str]:
    table = b"".join(bytes((lead, trail)) for lead in leads for trail in trails)
    return frozenset(table.decode(encoding, "ignore"))
