"""Claims about all output formats: they show every block, and texts from files stay texts."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from unicodedata import category

import pytest

from tests.reports.formats.hostile import ATTACKS, Hostile
from truebleu.errors import UnknownNameError
from truebleu.reports.document import (
    FORMATS,
    Column,
    Document,
    Heading,
    Notes,
    Sentences,
    Table,
    render,
)
from truebleu.reports.formats import html, latex, markdown, text, tsv

TABLE = Table(
    (
        Column("system", "System"),
        Column("score", "BLEU", digits=2),
        Column("interval", "95 % interval", parts=("low", "high"), numeric=True),
        Column("p_best", "best in", percent=True, digits=0),
    ),
    (
        {
            "system": "new",
            "score": 31.256,
            "interval": "[30.10, 32.40]",
            "low": 30.1,
            "high": 32.4,
            "p_best": 0.876,
        },
        {"system": "ältere", "score": -0.001, "interval": None, "p_best": None},
    ),
    notes=("BLEU|nrefs:1",),
)
DOCUMENT = Document(
    (Heading("Scores"), TABLE, Sentences(("new is better.",)), Notes(("seed 1",))), TABLE
)
attacks = pytest.mark.parametrize("attack", ATTACKS, ids=ascii)


def test_text_aligns_columns_and_puts_notes_and_sentences_below() -> None:
    assert text.render(DOCUMENT) == (
        "Scores\n"
        "\n"
        "System   BLEU   95 % interval  best in\n"
        "--------------------------------------\n"
        "new     31.26  [30.10, 32.40]     88 %\n"
        "ältere   0.00               –        –\n"
        "\n"
        "BLEU|nrefs:1\n"
        "\n"
        "new is better.\n"
        "\n"
        "seed 1\n"
    )


def test_tsv_has_one_number_per_cell_with_every_digit_under_unique_names() -> None:
    assert tsv.render(DOCUMENT) == (
        "# new is better.\n"
        "# BLEU|nrefs:1\n"
        "system\tscore\tlow\thigh\tp_best\n"
        "new\t31.256\t30.1\t32.4\t0.876\n"
        "ältere\t-0.001\t\t\t\n"
    )


def test_markdown_is_a_pipe_table_with_notes_as_code() -> None:
    assert markdown.render(DOCUMENT) == (
        "**Scores**\n"
        "\n"
        "| System | BLEU | 95 % interval | best in |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| new | 31.26 | \\[30.10, 32.40\\] | 88 % |\n"
        "| ältere | 0.00 | – | – |\n"
        "\n"
        "`BLEU|nrefs:1`\n"
        "\n"
        "- new is better.\n"
        "\n"
        "`seed 1`\n"
    )


def test_latex_is_a_booktabs_tabular() -> None:
    assert latex.render(DOCUMENT) == (
        "% Scores\n"
        "\n"
        "% BLEU|nrefs:1\n"
        "\\begingroup\\small\\setlength{\\tabcolsep}{4pt}%\n"
        "\\begin{tabular}{@{}lrrr}\n"
        "\\toprule\n"
        "System & BLEU & 95 \\% interval & best in \\\\\n"
        "\\midrule\n"
        "new & 31.26 & [30.10, 32.40] & 88 \\% \\\\\n"
        '\\"{a}ltere & 0.00 & -- & -- \\\\\n'
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\endgroup\n"
        "\n"
        "% new is better.\n"
        "\n"
        "% seed 1\n"
    )


MARKED = Table(
    (
        Column("system", "Système"),
        Column("score", "τ", digits=2, bold="best", mark="mark"),
    ),
    (
        {"system": "naïve 系统", "score": -1.5, "mark": "‡"},
        {"system": "łódź – Ørsted", "score": 31.25, "best": True, "mark": "†", "rule": True},
    ),
    rule="rule",
)


def test_papers_have_bold_print_marks_and_rules() -> None:
    written = latex.render(Document((MARKED,), MARKED)).splitlines()
    assert written[3:7] == [
        "Syst\\`{e}me & $\\tau$ \\\\",
        "\\midrule",
        'na\\"{i}ve [U+7CFB U+7EDF] & $-$1.50\\rlap{$^{\\ddagger}$} \\\\',
        "\\midrule",
    ]
    assert written[7] == (
        "\\l{}\\'{o}d\\'{z} -- \\O{}rsted & \\textbf{31.25}\\rlap{$^{\\dagger}$} \\\\"
    )
    assert markdown.render(Document((MARKED,), MARKED)).splitlines()[2:] == [
        "| naïve 系统 | -1.50‡ |",
        "|  |  |",
        "| łódź – Ørsted | **31.25**† |",
    ]


def test_formats_for_papers_show_what_a_document_has_for_them() -> None:
    both = Document((TABLE,), TABLE, paper=(MARKED, Sentences(("much better.",))))
    assert "Syst" in latex.render(both)
    assert "31.26" not in markdown.render(both)
    assert "31.26" in text.render(both)


def test_latex_is_ascii_whatever_the_script() -> None:
    # pdfLaTeX stops at a character that its fonts lack; every assigned one is tried here.
    assigned = [
        chr(code) for code in range(0x20, 0x2FA20) if category(chr(code)) not in ("Cn", "Cs")
    ]
    for start in range(0, len(assigned), 1000):
        name = "".join(assigned[start : start + 1000])
        table = Table((Column("name", name),), ({"name": name},), notes=(name,))
        written = latex.render(Document((table, Sentences((name,))), table))
        assert written.isascii()
        row = written.splitlines()[4]
        rest = row.replace("\\{", "").replace("\\}", "").replace("\\$", "")
        assert rest.count("{") == rest.count("}")
        assert rest.count("$") % 2 == 0


WIDE = Table(
    (
        Column("system", "System"),
        *(Column(str(n), str(n), numeric=False, tight=True) for n in range(1, 31)),
    ),
    tuple(
        {"system": f"system {n}", **{str(m): "<~>"[m % 3] for m in range(1, 31)}} for n in (1, 2)
    ),
)


def test_single_characters_move_together_where_a_table_is_wider_than_a_page() -> None:
    lines = text.table_text(WIDE).splitlines()
    assert lines[0] == "System    12345 67890 12345 67890 12345 67890"
    assert lines[2] == "system 1  ~><~> <~><~ ><~>< ~><~> <~><~ ><~><"
    assert all(len(line) <= 80 for line in lines)


def test_a_table_wider_than_the_terminal_goes_on_below_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    assert text.table_text(TABLE) == (
        "System   BLEU   95 % interval\n"
        "-----------------------------\n"
        "new     31.26  [30.10, 32.40]\n"
        "ältere   0.00               –\n"
        "\n"
        "System  best in\n"
        "---------------\n"
        "new        88 %\n"
        "ältere        –\n"
        "\n"
        "BLEU|nrefs:1"
    )


def test_html_has_the_same_cells_in_a_table() -> None:
    shown = html.render(DOCUMENT)
    assert '<td style="text-align: right">31.26</td>' in shown
    assert '<td style="text-align: left">ältere</td>' in shown
    assert "<p><code>BLEU|nrefs:1</code></p>" in shown


def test_a_table_without_rows_is_its_notes_in_every_format() -> None:
    empty = Document((Table(TABLE.columns, (), notes=("nothing to show",)),), TABLE)
    assert text.render(empty) == "nothing to show\n"
    assert markdown.render(empty) == "`nothing to show`\n"
    assert latex.render(empty) == "% nothing to show\n"
    assert "<table>" not in html.render(empty)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"format 'markdwon'; did you mean 'markdown'\?"):
        render(Hostile("a"), "markdwon")


@attacks
@pytest.mark.parametrize("format_", FORMATS)
def test_no_format_lets_control_or_direction_characters_through(attack: str, format_: str) -> None:
    shown = render(Hostile(attack), format_)
    raw = {character for character in shown if category(character) in ("Cc", "Cf", "Zl", "Zp")}
    if format_ == "json":
        # JSON escapes control characters itself, and its reader gives back the very text.
        assert json.loads(shown)["name"] == attack
        raw -= set(attack)
    assert raw <= {"\n", "\t"}


@attacks
@pytest.mark.parametrize("format_", ["text", "tsv", "latex", "markdown"])
def test_a_name_never_adds_a_line(attack: str, format_: str) -> None:
    shown = render(Hostile(attack), format_).count("\n")
    assert shown == render(Hostile("harmless"), format_).count("\n")


@attacks
def test_a_name_never_becomes_a_command_of_latex(attack: str) -> None:
    lines = render(Hostile(attack), "latex").splitlines()
    commands = [line for line in lines if not line.startswith("%")]
    assert not any("\\input" in line for line in commands)
    for line in commands:
        # Every special character of the text is escaped: what is left are our own commands.
        rest = line.replace("\\\\", "")
        for ours in ("\\textbackslash{}", "\\textasciitilde{}", "\\textasciicircum{}"):
            rest = rest.replace(ours, "")
        for ours in ("\\textbar{}", "\\&", "\\%", "\\$", "\\#", "\\_", "\\{", "\\}", "$<$", "$>$"):
            rest = rest.replace(ours, "")
        rules = ("\\toprule", "\\midrule", "\\bottom", "\\begingroup", "\\endgroup")
        if "tabular" not in rest and not rest.startswith(rules):
            assert not set(rest) & set("\\{}#%^~_"), line


@attacks
def test_a_name_never_becomes_a_formula_of_a_spreadsheet(attack: str) -> None:
    lines = [line for line in render(Hostile(attack), "tsv").splitlines() if line[0] != "#"]
    assert not lines[1].startswith(("=", "+", "-", "@"))
    assert lines[1].endswith("\t-1.25")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


@attacks
def test_a_name_never_becomes_markup_of_html(attack: str) -> None:
    parser = Tags()
    parser.feed(render(Hostile(attack), "html"))
    known = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code"}
    assert parser.tags <= known
    assert parser.attributes <= {"class", "style"}


@attacks
def test_a_name_never_becomes_markup_of_markdown(attack: str) -> None:
    cells = render(Hostile(attack), "markdown").splitlines()
    row = next(line for line in cells if line.endswith(("| -1.2 |", "| -1.3 |")))
    inside = row.removeprefix("| ").split(" | ")[0]
    unescaped = [
        character
        for place, character in enumerate(inside)
        if character in "<>`*_[]|" and inside[place - 1] != "\\"
    ]
    assert not unescaped


def test_a_result_prints_as_the_command_does_and_shows_itself_in_a_notebook() -> None:
    result = Hostile("name")
    assert str(result) == render(result, "text").rstrip("\n")
    assert result._repr_html_() == render(result, "html")
