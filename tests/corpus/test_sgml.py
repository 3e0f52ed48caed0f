from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import read_test_set
from truebleu.corpus.markup import read_sgml
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from .writing import Folder

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
    with pytest.raises(MalformedFileError, match="r: found only ref1, ref2, expected a system"):
        read_sgml("r", REFERENCES.encode()).select("system", None)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        ("<refset>\n<doc>\n<seg>a\n</doc></refset>", 3, "a segment that does not end"),
        ("<refset>\n<doc>\n<seg>a\n<seg>b</seg></doc></refset>", 3, "</seg>"),
        ("<refset>\n<doc>\n<seg>a</seg>\n", 4, "the end of the file, expected </doc>"),
        ("<refset>\n<doc></doc>\n", 3, "the end of the file, expected </refset>"),
        ("\n<doc></doc>", 2, "<doc>, expected it inside"),
        ("<refset><doc>\n<doc>", 2, "expected </doc> first"),
        ("<refset>\n<seg>a</seg>", 2, "<seg>, expected it inside a document"),
        ("<refset>\n</seg>", 2, "</seg>, expected <seg> before it"),
        ("<refset>\n</doc>", 2, "</doc>, expected <doc> before it"),
        ("<refset>\n<tstset>", 2, "<tstset>, expected </refset> before it"),
        ("<refset>\n</tstset>", 2, "</tstset>, expected </refset>"),
        ("\n</tstset>", 2, "</tstset>, expected a set before it"),
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
    assert f"f: line {line}: found" in str(caught.value)
    assert message in str(caught.value)


def test_a_translator_who_left_a_document_out_is_named() -> None:
    data = REFERENCES.replace(
        '<doc sysid="ref2" docid="d2" genre="talk"><seg id="1"></seg></doc>', ""
    )
    with pytest.raises(
        MalformedFileError, match="segment '1' of document 'd2' by translator 'ref2'"
    ):
        read_sgml("f", data.encode()).select("reference", None)


def test_a_file_without_segments_is_refused() -> None:
    with pytest.raises(EmptyTextError):
        read_sgml("f", b"<refset></refset>").select("reference", None)


def test_names_may_contain_entities() -> None:
    data = '<tstset><doc sysid="A&amp;B"><seg>a</seg></doc></tstset>'
    assert [text.name for text in read_sgml("f", data.encode()).select("system", None)] == ["A&B"]


def test_numbers_of_characters_stay_text_as_in_mteval() -> None:
    data = b"<refset><doc><seg>caf&#233;</seg></doc></refset>"
    assert list(read_sgml("f", data).select("reference", None)[0].segments) == ["caf&#233;"]
