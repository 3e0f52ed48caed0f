from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import read_test_set
from truebleu.corpus._markup import read_sgml, read_xml
from truebleu.errors import (
    AbsentSegmentError,
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    MissingColumnError,
)

if TYPE_CHECKING:
    from tests.writing import Folder

# SGML.


REFERENCES = """<?xml version="1.0"?>
<refset setid="news" srclang="any" trglang="de">
<!-- <doc docid="nothing"> -->
<doc sysid="ref1" docid="d1" genre="news" origlang="en">
<hl>
<seg id="1"> Erster
Teil </seg>
</hl>
<p><seg id="2">A &amp; B &lt;x&gt; &quot;y&quot; &apos;z&apos; &amp;lt; &#228;</seg></p>
</doc>
<doc sysid="ref1" docid="d2" genre="talk"><seg id="1">Ende</seg></doc>
<DOC sysid='ref2' docid=d1 genre=news><SEG ID=1>eins</SEG><Seg id='2'>zwei</sEG></DOC>
<doc sysid="ref2" docid="d2" genre="talk"><seg id="1"></seg></doc>
</refset>
"""
SYSTEM = """<tstset setid=news srclang=any trglang=de sysid=mine>
<doc docid="d2"><seg id=1>drei</seg></doc>
<doc docid="d1"><seg id=1>vier</seg><seg id=2>fünf < sechs</seg></doc>
</tstset>
"""


def test_all_references_of_a_file_are_read(folder: Folder) -> None:
    test_set = read_test_set([folder.write("s", "a\nb\nc\n")], [folder.write("r.sgm", REFERENCES)])
    assert test_set.reference_names == ("ref1", "ref2")
    first, second = map(list, test_set.references)
    assert first == ["Erster Teil", "A & B <x> \"y\" 'z' &lt; &#228;", "Ende"]
    assert second == ["eins", "zwei", ""]
    assert test_set.documents == ("d1", "d1", "d2")
    assert test_set.domains == ("news", "news", "talk")


def test_a_translator_may_be_chosen(folder: Folder) -> None:
    path = folder.write("r.SGML", REFERENCES)
    test_set = read_test_set([f"{path}#ref2"], [f"{path}#ref1"])
    assert list(test_set.systems) == ["ref2"]
    with pytest.raises(MissingColumnError, match="no translator 'ref3'; it has ref1, ref2"):
        read_test_set([f"{path}#ref2"], [f"{path}#ref3"])


def test_files_pair_by_document_and_segment(folder: Folder) -> None:
    test_set = read_test_set([folder.write("s.sgm", SYSTEM)], [folder.write("r.sgm", REFERENCES)])
    assert list(test_set.systems["mine"]) == ["vier", "fünf < sechs", "drei"]


def test_a_source_is_read_too(folder: Folder) -> None:
    source = '<srcset setid="x"><doc docid="d"><seg id="1">q</seg></doc></srcset>'
    reference = '<refset setid="x" refid="A"><doc docid="d"><seg id="1">r</seg></doc></refset>'
    path = folder.write("all.sgm", source + reference)
    test_set = read_test_set([folder.write("s", "a\n")], [path], source=path)
    assert test_set.source is not None
    assert list(test_set.source) == ["q"]
    assert test_set.reference_names == ("A",)


def test_segments_and_documents_without_ids_are_numbered() -> None:
    data = b"<refset><doc><seg>a</seg><seg>b</seg></doc><doc><seg>c</seg></doc></refset>"
    text = read_sgml("dir/r.sgm", data).select("reference", None)[0]
    assert text.layout.keys == (("1", "1"), ("1", "2"), ("2", "1"))
    assert text.name == "r"


def test_a_file_without_the_role_says_what_it_has() -> None:
    with pytest.raises(MalformedFileError, match="r: only ref1, ref2; expected a system"):
        read_sgml("r", REFERENCES.encode()).select("system", None)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        ("<refset>\n<doc>\n<seg>a\n</doc></refset>", 3, "an unclosed segment"),
        ("<refset>\n<doc>\n<seg>a\n<seg>b</seg></doc></refset>", 3, "</seg>"),
        ("<refset>\n<doc>\n<seg>a</seg>\n", 4, "the end of the file; expected </doc>"),
        ("<refset>\n<doc></doc>\n", 3, "the end of the file; expected </refset>"),
        ("\n<doc></doc>", 2, "<doc>; expected srcset, refset or tstset around it"),
        ("<refset><doc>\n<doc>", 2, "expected </doc> first"),
        ("<refset>\n<seg>a</seg>", 2, "<seg>; expected <doc> around it"),
        ("<refset>\n</seg>", 2, "</seg>; expected <seg> before it"),
        ("<refset>\n</doc>", 2, "</doc>; expected <doc> before it"),
        ("<refset>\n<tstset>", 2, "<tstset>; expected </refset> before it"),
        ("<refset>\n</tstset>", 2, "</tstset>; expected </refset>"),
        ("\n</tstset>", 2, "</tstset>; expected a set before it"),
        (
            "<refset><doc docid=d>\n<seg id=1>a</seg>\n<seg id=1>b</seg></doc></refset>",
            3,
            "segment '1' of document 'd' twice",
        ),
    ],
)
def test_broken_markup_is_located(data: str, line: int, message: str) -> None:
    with pytest.raises(MalformedFileError) as caught:
        read_sgml("f", data.encode())
    assert f"f: line {line}:" in str(caught.value)
    assert message in str(caught.value)


def test_a_translator_who_left_a_document_out_has_no_reference_there() -> None:
    data = REFERENCES.replace(
        '<doc sysid="ref2" docid="d2" genre="talk"><seg id="1"></seg></doc>', ""
    )
    first, second = read_sgml("f", data.encode()).select("reference", None)
    assert first.segments[2] == "Ende"
    assert list(second.segments) == ["eins", "zwei", None]


def test_a_file_without_segments_is_refused() -> None:
    with pytest.raises(EmptyTextError):
        read_sgml("f", b"<refset></refset>").select("reference", None)


def test_names_may_contain_entities() -> None:
    data = '<tstset><doc sysid="A&amp;B"><seg>a</seg></doc></tstset>'
    assert [text.name for text in read_sgml("f", data.encode()).select("system", None)] == ["A&B"]


def test_numbers_of_characters_stay_text_as_in_mteval() -> None:
    data = b"<refset><doc><seg>caf&#233;</seg></doc></refset>"
    assert list(read_sgml("f", data).select("reference", None)[0].segments) == ["caf&#233;"]


# WMT's XML.


DATASET = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmt24">
  <collection id="general">
    <doc origlang="en" id="d1" domain="news">
      <src lang="en"><p><seg id="1">One</seg><seg id="2">Two &amp; a half</seg></p></src>
      <ref lang="de" translator="A"><p><seg id="1"> Eins
 </seg><seg id="2">Zwei<b>ein</b>halb</seg></p></ref>
      <ref lang="de" translator="B"><p><seg id="1">eins</seg><seg id="2">zwei</seg></p></ref>
      <hyp lang="de" system="GPT"><p><seg id="2">2</seg></p><p><seg id="1">1</seg></p></hyp>
      <hyp lang="de" system="Own"><p><seg id="1">I</seg><seg id="2"></seg></p></hyp>
    </doc>
  </collection>
  <doc origlang="en" id="d2" domain="talk" testsuite="x">
    <src lang="en"><p><seg id="1">Three</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">Drei</seg></p></ref>
    <ref lang="de" translator="B"><p><seg id="1">drei</seg></p></ref>
    <hyp lang="de" system="GPT"><p><seg id="1">3</seg></p></hyp>
    <hyp lang="de" system="Own"><p><seg id="1">III</seg></p></hyp>
  </doc>
</dataset>
"""


def test_one_file_holds_a_whole_test_set(folder: Folder) -> None:
    path = folder.write("wmt.xml", DATASET)
    test_set = read_test_set([path], [path], source=path)
    systems = {name: list(text) for name, text in test_set.systems.items()}
    assert systems == {"GPT": ["1", "2", "3"], "Own": ["I", "", "III"]}
    assert test_set.reference_names == ("A", "B")
    assert list(test_set.references[0]) == ["Eins", "Zweieinhalb", "Drei"]
    assert test_set.source is not None
    assert list(test_set.source) == ["One", "Two & a half", "Three"]
    assert test_set.documents == ("d1", "d1", "d2")
    assert test_set.domains == ("news", "news", "talk")


def test_a_translator_and_a_system_may_be_chosen(folder: Folder) -> None:
    path = folder.write("wmt.xml", DATASET)
    test_set = read_test_set([f"{path}#Own", f"{path}#A"], [f"{path}#B"])
    assert list(test_set.systems) == ["Own", "A"]
    assert test_set.reference_names == ("B",)
    with pytest.raises(MissingColumnError, match="no system 'X'; it has source, A, B, GPT, Own"):
        read_test_set([f"{path}#X"], [f"{path}#B"])


def test_plain_lines_pair_in_the_order_of_the_file(folder: Folder) -> None:
    plain = folder.write("plain", "x\ny\nz\n")
    test_set = read_test_set([plain], [folder.write("wmt.xml", DATASET)])
    assert list(test_set.systems["plain"]) == ["x", "y", "z"]


def test_a_reference_may_lack_a_document(folder: Folder) -> None:
    removed = '<ref lang="de" translator="B"><p><seg id="1">drei</seg></p></ref>'
    path = folder.write("wmt.xml", DATASET.replace(removed, ""))
    test_set = read_test_set([f"{path}#GPT"], [path])
    assert [list(text)[2] for text in test_set.references] == ["Drei", None]
    assert test_set.references_per_segment is None
    assert test_set.warnings == ()
    with pytest.raises(AbsentSegmentError, match="segment 3: no reference"):
        read_test_set([f"{path}#GPT"], [f"{path}#B"])


def test_a_system_that_lacks_a_document_is_named_and_scored_without(folder: Folder) -> None:
    removed = '<hyp lang="de" system="GPT"><p><seg id="1">3</seg></p></hyp>'
    path = folder.write("wmt.xml", DATASET.replace(removed, ""))
    test_set = read_test_set([f"{path}#GPT"], [path])
    assert list(test_set.systems["GPT"]) == ["1", "2", ""]
    (missing,) = (w for w in test_set.warnings if w.code == "missing-output")
    assert "no output for 1 segment, first segment 3" in missing.message


BOMB = """<?xml version="1.0"?>
<!DOCTYPE dataset [
 <!ENTITY a "aaaaaaaaaa">
 <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
 <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<dataset><doc id="d"><ref translator="A"><seg id="1">&c;</seg></ref></doc></dataset>
"""
EXTERNAL = """<!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<dataset><doc id="d"><ref translator="A"><seg id="1">&x;</seg></ref></doc></dataset>
"""


@pytest.mark.parametrize("data", [BOMB, EXTERNAL, BOMB.replace("&c;", "plain")])
def test_entities_are_refused_and_never_expanded(data: str) -> None:
    with pytest.raises(MalformedFileError, match=r"f: line [12]: a DTD or entity"):
        read_xml("f", data.encode())


def test_entities_in_nist_files_stay_text() -> None:
    data = BOMB.replace("dataset>", "refset>").replace("ref ", "x ").replace('id="d"', "docid=d")
    text = read_xml("f", data.encode()).select("reference", None)[0]
    assert list(text.segments) == ["&c;"]


def test_broken_xml_is_located() -> None:
    with pytest.raises(MalformedFileError, match="f: line 3: broken XML"):
        read_xml("f", b"<dataset>\n<doc>\n</dataset>")


@pytest.mark.parametrize(("data", "found"), [(b"<html/>", "<html>"), (b" \n", "an empty file")])
def test_other_xml_is_refused(data: bytes, found: str) -> None:
    with pytest.raises(MalformedFileError, match=f"f: {found}"):
        read_xml("f", data)


def test_a_set_without_segments_is_refused() -> None:
    with pytest.raises(EmptyTextError):
        read_xml("f", b"<dataset/>").select("reference", None)


def test_a_segment_twice_is_refused() -> None:
    data = '<dataset><doc id="d"><ref><seg id="1">a</seg><seg id="1">b</seg></ref></doc></dataset>'
    with pytest.raises(MalformedFileError, match="segment '1' of document 'd' twice"):
        read_xml("f", data.encode())


def test_bytes_must_be_utf8_whatever_the_declaration_says() -> None:
    with pytest.raises(EncodingError, match="f: line 1, byte 54: e9"):
        read_xml("f", b'<?xml version="1.0" encoding="latin-1"?>\t<dataset a="\xe9"/>')


def test_a_byte_order_mark_does_no_harm() -> None:
    assert read_xml("f", b"\xef\xbb\xbf" + DATASET.encode()).select("reference", "A")


@pytest.mark.parametrize("name", ["f.xml", "f.sgm"])
def test_a_byte_order_mark_is_reported(folder: Folder, name: str) -> None:
    data = DATASET if name == "f.xml" else "<refset><doc><seg>a</seg></doc></refset>"
    path = folder.write(name, "\ufeff" + data)
    reference = f"{path}#A" if name == "f.xml" else path
    plain = folder.write("plain", "x\ny\nz\n" if name == "f.xml" else "x\n")
    codes = [warning.code for warning in read_test_set([plain], [reference]).warnings]
    assert "byte-order-mark" in codes


def test_a_comment_in_front_does_not_tell_the_format() -> None:
    data = f"<!-- made from a <refset> -->{DATASET.split('?>', 1)[-1]}"
    assert read_xml("f", data.encode()).select("reference", "A")


def test_nist_files_in_xml_are_resolved_as_xml() -> None:
    segment = "caf&#233; &#x4E2D;<!-- note --> <![CDATA[<b> & &lt;]]> &amp;lt; &#0; &#xD800;"
    data = f"<refset><doc><seg>{segment}</seg></doc></refset>"
    text = read_xml("f", data.encode()).select("reference", None)[0]
    assert list(text.segments) == ["café 中 <b> & &lt; &lt; &#0; &#xD800;"]
