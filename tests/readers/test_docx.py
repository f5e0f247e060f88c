import pytest
from making_docx import (
    MACRO_TYPE,
    NAMESPACES,
    PACKAGE,
    R,
    document,
    docx,
    item,
    notes,
    paragraph,
    run,
    table,
    zipped,
)
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import DamagedFile, NoText, PasswordProtected, ReadingTooLarge

P = paragraph("内容")


def lines(body: str, **options: object) -> list[str]:
    return read_bytes("a.docx", docx(body, **options)).text.splitlines()  # type: ignore[arg-type]


def test_paragraphs_become_lines_in_order() -> None:
    assert lines(paragraph("第一段。") + paragraph("Second.")) == ["第一段。", "Second."]


def test_headings_keep_their_level_however_the_style_is_called() -> None:
    body = (
        paragraph("书名", style="a3")
        + paragraph("第一章", style="1")
        + paragraph("正文", style="Body")
        + paragraph("1.1 节", style="2")
        + paragraph("自定义章", style="Own")
        + paragraph("大纲", properties='<w:outlineLvl w:val="2"/>')
    )
    found = read_bytes("a.docx", docx(body))
    assert heading_texts(found) == [
        (1, "书名"),
        (1, "第一章"),
        (2, "1.1 节"),
        (1, "自定义章"),
        (3, "大纲"),
    ]
    assert "#" not in found.text


def test_table_rows_are_lines_and_merged_cells_are_there_once() -> None:
    merged = (
        f'<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph("合并")}</w:tc></w:tr>'
    )
    body = table(["编号", "名称"], ["A-1", "打印机"]).replace("</w:tbl>", merged + "</w:tbl>")
    assert lines(body) == ["编号 | 名称", "A-1 | 打印机", "合并"]


def test_a_table_inside_of_a_cell_stays_in_its_row() -> None:
    inner = paragraph("含") + table(["甲", "乙"])
    assert lines(table(["左", inner], ["下", "右"])) == ["左 | 含 甲 | 乙", "下 | 右"]


def test_empty_cells_keep_their_place_but_not_at_the_end() -> None:
    assert lines(table(["", "b", ""], ["", "", ""])) == [" | b"]


def test_insertions_stay_and_deletions_go() -> None:
    body = paragraph(
        "总额",
        f'<w:ins w:id="1">{run("一百二十万")}</w:ins>',
        '<w:del w:id="2"><w:r><w:delText>八十万</w:delText></w:r></w:del>',
        f'<w:moveFrom w:id="3">{run("移走")}</w:moveFrom>',
        f'<w:moveTo w:id="4">{run("移来")}</w:moveTo>',
    )
    deleted_row = "<w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p/></w:tc></w:tr>"
    assert lines(body + f"<w:tbl>{deleted_row}</w:tbl>") == ["总额一百二十万移来"]


@pytest.mark.parametrize(
    "markup",
    [
        f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('内容')}</w:sdtContent></w:sdt>",
        f"<w:p><w:sdt><w:sdtContent>{run('内容')}</w:sdtContent></w:sdt></w:p>",
        f"<w:tbl><w:sdt><w:sdtContent><w:tr><w:tc>{P}</w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>",
        f"<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc>{P}</w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>",
        f'<w:p><w:smartTag w:element="e">{run("内容")}</w:smartTag></w:p>',
        f'<w:p><w:hyperlink r:id="none">{run("内容")}</w:hyperlink></w:p>',
        f'<w:p><w:fldSimple w:instr=" TITLE ">{run("内容")}</w:fldSimple></w:p>',
        f"<w:p><w:r><w:tbl><w:tr><w:tc>{paragraph('内容')}</w:tc></w:tr></w:tbl></w:r></w:p>",
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>内容</w:t></w:r></w:p>",
        f"<w:customXml>{paragraph('内容')}</w:customXml>",
    ],
)  # fmt: skip
def test_text_is_found_in_every_wrapping(markup: str) -> None:
    assert [line for line in lines(markup) if line] == ["内容"]


def test_a_field_shows_its_result_and_not_its_code() -> None:
    body = paragraph(
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        "<w:r><w:instrText> REF _Ref1 \\h </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
        "第七节",
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
        "所述",
    )
    assert lines(body) == ["第七节所述"]


def test_a_field_that_never_ends_does_not_swallow_the_document() -> None:
    broken = paragraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>', "代码")
    assert lines(broken + paragraph("后文")) == ["后文"]


def test_form_fields_show_what_was_chosen() -> None:
    drop_down = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>'
        '<w:listEntry w:val="甲"/><w:listEntry w:val="乙"/></w:ddList></w:ffData></w:fldChar></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    box = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:checked/></w:checkBox>'
        '</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    assert lines(paragraph("选择：", drop_down, box)) == ["选择：乙☑"]


def test_a_text_box_is_there_once_though_it_is_stored_twice() -> None:
    box = f"<w:txbxContent>{paragraph('框内')}</w:txbxContent>"
    shape = (
        "<w:r><mc:AlternateContent>"
        f'<mc:Choice Requires="wps"><wps:txbx>{box}</wps:txbx></mc:Choice>'
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert lines(paragraph("前", shape)) == ["前", "框内"]


def test_the_fallback_is_read_where_the_choice_has_no_text() -> None:
    shape = (
        '<w:r><mc:AlternateContent><mc:Choice Requires="x"><wps:wsp/></mc:Choice><mc:Fallback>'
        f"<w:txbxContent>{paragraph('备用')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert lines(paragraph("前", shape)) == ["前", "备用"]


def test_notes_and_comments_follow_the_paragraph_that_cites_them() -> None:
    body = paragraph(
        "正文",
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        '<w:r><w:endnoteReference w:id="2"/></w:r>',
        '<w:r><w:commentReference w:id="2"/></w:r>',
    )
    parts = {
        f"{kind}s.xml": (f"{kind}s", notes(kind, text))
        for kind, text in {"footnote": " 脚注", "endnote": "尾注", "comment": "批注"}.items()
    }
    assert lines(body + paragraph("下段"), parts=parts) == ["正文", "脚注", "尾注", "批注", "下段"]


def test_headers_and_footers_are_there_once_at_the_end() -> None:
    header = f"<w:hdr {NAMESPACES}>{paragraph('机密')}</w:hdr>"
    parts = {
        "header1.xml": ("header", header),
        "header2.xml": ("header", header),
        "footer1.xml": ("footer", f"<w:ftr {NAMESPACES}>{paragraph('页脚')}</w:ftr>"),
    }
    assert lines(paragraph("正文"), parts=parts) == ["正文", "机密", "页脚"]


def test_formulas_ruby_symbols_and_breaks_are_text() -> None:
    fraction = (
        "<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"
    )
    ruby = (
        f"<w:r><w:ruby><w:rt>{run('pīn')}</w:rt><w:rubyBase>{run('拼')}</w:rubyBase></w:ruby></w:r>"
    )
    symbols = (
        '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="Symbol" w:char="F061"/></w:r>'
    )
    breaks = "<w:r><w:br/><w:t>换行</w:t><w:tab/><w:noBreakHyphen/></w:r>"
    body = paragraph(fraction) + paragraph(ruby) + paragraph(symbols) + paragraph("前", breaks)
    assert lines(body) == ["x=(a+b)/2", "拼", "☑α", "前", "换行\t-"]


def test_diagrams_are_read_from_their_own_part() -> None:
    data = f"<dgm:dataModel {NAMESPACES}><a:p><a:r><a:t>节点甲</a:t></a:r></a:p></dgm:dataModel>"
    body = paragraph('<w:r><w:drawing><dgm:relIds r:dm="id-data1.xml"/></w:drawing></w:r>')
    assert "节点甲" in lines(body, parts={"data1.xml": ("diagramData", data)})


def test_an_embedded_page_is_read_where_it_stands() -> None:
    page = b"<html><body><h1>\xe6\xa0\x87\xe9\xa2\x98</h1><p>inside</p></body></html>"
    body = paragraph("前") + '<w:altChunk r:id="id-part.html"/>' + paragraph("后")
    found = read_bytes("a.docx", docx(body, {"part.html": ("aFChunk", page)}))
    assert found.text.splitlines() == ["前", "标题", "inside", "后"]
    assert heading_texts(found) == [(1, "标题")]


def test_rare_characters_survive() -> None:
    text = "𠮷𪚥㐂 😀👨‍👩‍👧 ＡＢＣ é"
    assert lines(paragraph(text)) == [text]


def test_macro_files_templates_and_strict_files_are_read() -> None:
    body = paragraph("正文")
    for content in (docx(body, main_type=MACRO_TYPE), docx(body, strict=True)):
        assert read_bytes("a.docx", content).file_type == "docx"
        assert read_bytes("a.docx", content).text == "正文\n"


def test_a_link_to_a_missing_part_does_no_harm() -> None:
    dangling = f'<Relationship Id="n" Type="{R}/image" Target="../NULL"/>'
    assert lines(paragraph("正文"), extra_links=dangling) == ["正文"]


def test_a_broken_part_without_text_does_no_harm() -> None:
    assert lines(paragraph("正文"), parts={"styles.xml": ("styles", "<w:styles")}) == ["正文"]


def test_a_bad_checksum_counts_only_where_the_text_is() -> None:
    sound = docx(paragraph("正文"), {"theme.xml": ("theme", "<theme>unused part</theme>")})
    at = sound.index(b"word/theme.xml") + len("word/theme.xml")
    assert read_bytes("a.docx", sound[:at] + b"\xff" + sound[at + 1 :]).text == "正文\n"
    main = sound.index(b"word/document.xml") + len("word/document.xml") + 20
    with pytest.raises(DamagedFile):
        read_bytes("a.docx", sound[:main] + b"\xff\xff\xff" + sound[main + 3 :])


def test_backslashes_and_letter_case_of_part_names_do_not_matter() -> None:
    types = f'<Types xmlns="{PACKAGE}/content-types"/>'
    content = zipped(
        {"[Content_Types].xml": types, "Word\\Document.xml": document(paragraph("好"))}
    )
    assert read_bytes("a.docx", content).text == "好\n"


def test_a_flat_package_and_word_2003_xml_are_read() -> None:
    flat = (
        '<?mso-application progid="Word.Document"?>'
        '<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">'
        '<pkg:part pkg:name="/word/document.xml"><pkg:xmlData>'
        f"{document(paragraph('平面'))}</pkg:xmlData></pkg:part></pkg:package>"
    )
    old = (
        '<?mso-application progid="Word.Document"?>'
        '<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"'
        ' xmlns:aml="http://schemas.microsoft.com/aml/2001/core"><w:body><w:p>'
        '<aml:annotation w:type="Word.Deletion"><w:r><w:t>删去</w:t></w:r></aml:annotation>'
        "<w:r><w:t>旧式</w:t></w:r></w:p></w:body></w:wordDocument>"
    )
    assert read_bytes("a.xml", flat.encode()).text == "平面\n"
    assert read_bytes("a.doc", old.encode()).text == "旧式\n"


def test_a_document_without_text_says_so() -> None:
    with pytest.raises(NoText):
        read_bytes("a.docx", docx("<w:p/>"))


def test_a_dtd_is_refused_and_an_external_entity_never_read() -> None:
    hostile = (
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY a "aaaaaaaaaa">'
        f'<!ENTITY b "&a;&a;&a;&a;">]>{document(paragraph("&x;&b;"))}'
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": hostile,
    }
    with pytest.raises(DamagedFile, match="DTD"):
        read_bytes("a.docx", zipped(parts))


def test_a_bomb_is_refused_from_its_directory() -> None:
    with pytest.raises(ReadingTooLarge):
        read_bytes("a.docx", docx(paragraph("a" * 30_000_000)))


def test_more_text_than_allowed_is_refused() -> None:
    with pytest.raises(ReadingTooLarge, match="100 characters"):
        read_bytes("a.docx", docx(paragraph("字" * 60) + paragraph("字" * 60)), text_chars=100)


def test_a_truncated_file_is_damaged() -> None:
    content = docx(paragraph("正文"))
    with pytest.raises(DamagedFile, match="DOCX"):
        read_bytes("a.docx", content[: len(content) // 2])


def test_an_encrypted_zip_entry_asks_for_its_password() -> None:
    content = bytearray(docx(paragraph("正文")))
    at = content.rindex(b"PK\x01\x02", 0, content.rindex(b"word/document.xml"))
    content[at + 8] |= 1  # the flag in the directory
    with pytest.raises(PasswordProtected):
        read_bytes("a.docx", bytes(content))


def test_list_items_show_their_numbers() -> None:
    numbering = f"""<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId="0">
    <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/>
    <w:lvlText w:val="%1、"/>
    </w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:isLgl/>
    <w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1">
    <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>
    <w:lvlText w:val="&#xF0B7;"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">
    <w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>"""
    body = "".join(
        (
            item("甲", 1), item("子", 1, 1), item("丑", 1, 1), item("", 1), item("乙", 1),
            item("寅", 1, 1), item("点", 2), item("重来", 3), item("无", 0), item("未定义", 9),
        )
    )  # fmt: skip
    assert lines(body, parts={"numbering.xml": ("numbering", numbering)}) == [
        "一、 甲",
        "1.1 子",
        "1.2 丑",
        "",
        "三、 乙",
        "3.1 寅",
        "• 点",
        "一、 重来",
        "无",
        "未定义",
    ]


def test_a_style_can_number_its_paragraphs() -> None:
    styles = f"""<w:styles {NAMESPACES}><w:style w:styleId="h"><w:name w:val="heading 1"/>
    <w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>"""
    numbering = f"""<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">
    <w:pStyle w:val="h"/><w:lvlText w:val="第%1章"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"""
    parts = {"styles.xml": ("styles", styles), "numbering.xml": ("numbering", numbering)}
    found = read_bytes(
        "a.docx", docx(paragraph("总则", style="h") + paragraph("附则", style="h"), parts)
    )
    assert heading_texts(found) == [(1, "第1章 总则"), (1, "第2章 附则")]
