"""Office formulas as one line of text."""

from collections.abc import Iterator

from ragkb.readers.xml_tree import Element, attribute, child, name


def formula(element: Element) -> str:
    """`a/b`, `x^2`, `x_i`, `√(x)`; what needs no sign between its parts is written as it stands."""
    return "".join(_parts(element))


def _parts(element: Element) -> Iterator[str]:  # noqa: C901  # a table of the kinds of formulas
    for each in element:
        match name(each):
            case "m:t":
                yield each.text or ""
            case "m:f":
                yield f"{_grouped(each, 'm:num')}/{_grouped(each, 'm:den')}"
            case "m:sSup":
                yield f"{_in(each, 'm:e')}^{_grouped(each, 'm:sup')}"
            case "m:sSub":
                yield f"{_in(each, 'm:e')}_{_grouped(each, 'm:sub')}"
            case "m:sSubSup":
                yield f"{_in(each, 'm:e')}_{_grouped(each, 'm:sub')}^{_grouped(each, 'm:sup')}"
            case "m:rad":
                yield f"{_in(each, 'm:deg')}√({_in(each, 'm:e')})"
            case "m:nary":
                yield _operator(each)
            case "m:d":
                yield _delimited(each)
            case "w:del" | "w:moveFrom" | "m:rPr" | "w:rPr":
                continue
            case "m:r" | "m:e" | "m:oMath" | "w:ins" | _:
                yield from _parts(each)


def _operator(element: Element) -> str:
    sign = attribute(child(element, "m:naryPr", "m:chr"), "m:val") or "∫"
    low, high = _in(element, "m:sub"), _in(element, "m:sup")
    bounds = (f"_({low})" if low else "") + (f"^({high})" if high else "")
    return f"{sign}{bounds} {_in(element, 'm:e')}"


def _delimited(element: Element) -> str:
    properties = child(element, "m:dPr")
    left = attribute(child(properties, "m:begChr"), "m:val") or "("
    right = attribute(child(properties, "m:endChr"), "m:val") or ")"
    inside = ",".join(formula(each) for each in element if name(each) == "m:e")
    return f"{left}{inside}{right}"


def _in(element: Element, part: str) -> str:
    found = child(element, part)
    return formula(found) if found is not None else ""


def _grouped(element: Element, part: str) -> str:
    """In brackets when it is more than one word or number."""
    text = _in(element, part)
    return text if len(text) < 2 or text.isalnum() else f"({text})"
