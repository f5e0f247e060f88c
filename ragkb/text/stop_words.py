"""Words that say how something is asked, not what about: left out of a query's terms."""

# Longer English lists, with "can", "their" or "these", lost .001 nDCG@10 on XQuAD-R and SciFact.
_ENGLISH = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "did", "do", "does", "for", "from"),
        *("how", "in", "is", "it", "of", "on", "or", "s", "t", "that", "the", "to", "was", "were"),
        *("what", "when", "where", "which", "who", "why", "will", "with"),
    )
)
_CHINESE = frozenset("的了是在有和与及或吗呢吧啊么什哪谁几怎何为多少个被于以之")


def is_stop_word(term: str) -> bool:
    """Whether a term is a function or question word, or a Chinese pair made of such characters."""
    return term in _ENGLISH or _CHINESE.issuperset(term)
