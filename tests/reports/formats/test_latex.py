"""LaTeX: booktabs, and no commands from names."""

from __future__ import annotations

from dataclasses import replace
from unicodedata import category

from tests.reports.formats.examples import DOCUMENT, MARKED, attacks, study_document
from tests.reports.formats.hostile import Hostile
from truebleu.reports.document import Column, Document, Sentences, Table, render
from truebleu.reports.formats import latex


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


def test_a_table_with_a_legend_has_it_as_its_caption() -> None:
    table = replace(MARKED, legend="† better than 100 % of b_1.")
    written = latex.render(Document((replace(DOCUMENT.data, paper=table),), MARKED)).splitlines()
    assert written[:2] == ["\\begin{table}", "\\centering\\small"]
    assert written[-2:] == [
        "\\caption{$\\dagger$ better than 100 \\% of b\\_1.}",
        "\\end{table}",
    ]


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


def test_latex_shows_signs_that_its_standard_font_lacks() -> None:
    columns = (
        Column("system", "System"),
        Column("best", "− best", numeric=True),
        Column("ranks", "ranks", numeric=True),
    )
    row = {"system": "a-1 >", "best": "-1.16 [-3.69, 1.32]", "ranks": "1–2"}
    written = latex.render(study_document(Table(columns, (row,))))
    assert "System & $-$ best & ranks \\\\" in written
    assert "a-1 $>$ & $-$1.16 [$-$3.69, 1.32] & 1--2 \\\\" in written


def test_a_latex_row_is_not_an_argument_of_the_row_above() -> None:
    table = Table((Column("system", "System"),), ({"system": "[old]"}, {"system": "*"}))
    assert "\n{}[old] \\\\\n{}* \\\\\n" in latex.render(study_document(table))
