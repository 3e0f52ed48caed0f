"""Check that a change of the code leaves every number of the command line as it was.

    python tools/same_digits.py record BEFORE
    (change the code)
    python tools/same_digits.py record AFTER
    python tools/same_digits.py compare BEFORE AFTER

`record` runs the commands in the table `CASES` on public data, and writes what each one printed to
DIR/NAME.json. `compare` needs the two sides to agree in their numbers, not in their keys: results
may be renamed and rearranged, as long as no number is lost. It exits with 1 where one is.

Where options are renamed, edit the table; a case keeps its name, by which the two sides are paired.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from math import isclose, isnan
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Number: TypeAlias = int | float
Scalar: TypeAlias = Number | str | None
Json: TypeAlias = "Scalar | list[Json] | dict[str, Json]"
#: The keys and indices that lead to a value.
Place: TypeAlias = tuple[str | int, ...]
#: The keys alone, with [] for every index.
Shape: TypeAlias = tuple[str, ...]

DATA = Path(__file__).parents[2] / "shared" / "data"

# --------------------------------------------------------------------------------------------------
# The table of cases.
#
# "-f json" is added to every command that is not in PLAIN, unless the row says -f itself. Steps are
# joined by &&; the output of the last one is recorded, and so are the files that end up in $out.

PLAIN = ("demo", "sacrebleu")

FOLDERS = {
    "de": "wmt21-en-de",
    "ted": "ted-mqm-en-de",
    "cs": "wmt23-en-cs",
    "ja": "wmt23-en-ja",
    "he": "wmt23-he-en",
    "zh": "wmt23-zh-en",
    "es": "wmt24-en-es",
    "runs": "iwslt-optimizer-runs",
    "four": "four-references",
}

# Several systems of a set. $made has inputs that `write_inputs` makes.
SYSTEMS = {
    "de2": ("$de/sys/", "UF P3AI"),
    "de3": ("$de/sys/", "UF P3AI ICL"),
    "de6": ("$de/sys/", "UF P3AI ICL Online-A BUPT_rush Manifold"),
    "judged": (
        "$de/sys/",
        "Facebook-AI HuaweiTSC Nemo Online-W UEdin VolcTrans-AT VolcTrans-GLAT eTranslation",
    ),
    "ted5": ("$ted/sys/", "Facebook-AI HuaweiTSC Nemo Online-W metricsystem1"),
    "es3": ("$es/sys/", "IKUN IKUN-C Aya23"),
    "es4": ("$es/sys/", "ONLINE-A ONLINE-G Occiglot TSU-HITs"),
    "he3": ("$he/sys/", "ONLINE-A ONLINE-B ONLINE-G"),
    "zh3": ("$zh/sys/", "ONLINE-A ONLINE-B Yishu"),
    "ja3": ("$ja/sys/", "ONLINE-A KYB AIRC"),
    "cs3": ("$cs/sys/", "CUNI-GA CUNI-Transformer ONLINE-G"),
    "four4": ("$four/", "out.0 out.1 out.2 out.3"),
    "runs9": (
        "$runs/",
        "baseline.opt0 baseline.opt1 baseline.opt2 sys1.opt0 sys1.opt1 sys1.opt2 "
        "sys2.opt0 sys2.opt1 sys2.opt2",
    ),
    "runs6": (
        "$runs/",
        "baseline.opt0 baseline.opt1 baseline.opt2 sys1.opt0 sys1.opt1 sys1.opt2",
    ),
}

# Settings that keep a case quick.
SHORT = {
    "quick": "--replicates 1000",
    "study": "--samples 20 --replicates 200",
    "agreeing": "--replicates 200 --permutations 300",
}

CORRECTIONS = ("none", "bonferroni", "sidak", "hochberg", "bh", "by", "westfall-young")

CASES = {
    # score: metrics and their settings
    "score-default": "score -r $de/refA.txt $de3",
    "score-all-metrics": "score -r $de/refA.txt $de2 -m bleu -m chrf -m ter -m gtm -m length "
    "-m mbleu -m nist -m per -m sentbleu -m wer",
    "score-three-references": "score -r $de/refA.txt -r $de/refC.txt -r $de/refD.txt $de2 "
    "-m bleu -m chrf -m ter -m nist -m mbleu -m gtm -m per -m wer -m length -m sentbleu",
    "score-four-references": "score -r $four/ref0.txt -r $four/ref1.txt -r $four/ref2.txt "
    "-r $four/ref3.txt $four4 -m bleu -m bleu:reference_length=shortest -m chrf -m ter",
    "score-bleu-smoothings": "score -r $de/refA.txt $de2 -m bleu:smooth=floor "
    "-m bleu:smooth=add-k -m bleu:smooth=none -m bleu:smooth=floor,smooth_value=0.5",
    "score-bleu-settings": "score -r $de/refA.txt $de2 -m bleu:lowercase=yes -m bleu:max_order=2 "
    "-m bleu:tokenize=intl -m bleu:tokenize=none -m bleu:tokenize=char -m bleu:tokenize=mteval",
    "score-bleu-mteval": "score -r $de/refA.txt $de2 -m bleu:smooth=mteval,tokenize=mteval-intl",
    "score-chrf-settings": "score -r $cs/refA.txt $cs3 -m chrf:word_order=2 -m chrf:char_order=4 "
    "-m chrf:beta=1 -m chrf:lowercase=yes -m chrf:whitespace=yes -m chrf:eps_smoothing=yes",
    "score-ter-settings": "score -r $de/refA.txt $de2 -m ter:normalized=yes -m ter:no_punct=yes "
    "-m ter:case_sensitive=yes",
    "score-sentbleu-smoothings": "score -r $made/short-refA.txt $made/UF.txt "
    + " ".join(f"-m sentbleu:smoothing={number}" for number in range(8)),
    "score-sentbleu-settings": "score -r $made/short-refA.txt $made/UF.txt "
    "-m sentbleu:smoothing=epsilon,epsilon=0.01 -m sentbleu:smoothing=length-scaled,k=10 "
    "-m sentbleu:smoothing=interpolate,alpha=2 -m sentbleu:weight=equal",
    "score-nist-gtm-settings": "score -r $de/refA.txt $de2 -m nist:max_order=3 "
    "-m nist:lowercase=yes -m gtm:exponent=2 -m gtm:lowercase=yes -m wer:tokenize=13a",
    "score-dependency": "score -r $made/short-refA.txt $made/UF.txt $made/P3AI.txt "
    "-m depf:parses=$made/parses -m depf:parses=$made/parses,labelled=no,direction=no",
    "score-given-scores": "score -r $de/refA.txt $judged "
    "-m scores:path=$de/human-mqm.tsv,missing=omit,name=MQM",
    "score-chinese": "score -r $made/zh.txt $made/zh-output.txt -m bleu:tokenize=zh "
    "-m bleu:tokenize=char -m chrf -m ter:asian_support=yes,normalized=yes",
    "score-japanese": "score -r $ja/refA.txt $ja3 -m bleu:tokenize=ja-mecab -m bleu:tokenize=char "
    "-m chrf -m ter:asian_support=yes,normalized=yes",
    "score-table": "score -r '$made/table.tsv#refA' '$made/table.tsv#UF' '$made/table.tsv#P3AI'",
    "score-json-lines": "score -r '$made/table.jsonl#refA' '$made/table.jsonl#UF' -m bleu -m ter",
    # score: intervals and segments
    "score-confidence": "score -r $de/refA.txt $de2 -m bleu -m chrf -m ter --confidence $quick",
    "score-confidence-basic": "score -r $de/refA.txt $de2 --confidence --interval basic $quick "
    "--level 0.9",
    "score-confidence-bca": "score -r $de/refA.txt $de2 -m bleu -m ter --confidence "
    "--interval bca $quick",
    "score-confidence-student": "score -r $de/refA.txt $de2 -m scores:path=$made/given.tsv "
    "--confidence --interval student $quick",
    "score-confidence-documents": "score -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--confidence --unit document $quick",
    "score-confidence-domains": "score -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--confidence --by-domain $quick --seed 7",
    "score-confidence-blocks": "score -r $de/refA.txt $de2 --confidence --unit block "
    "--block-length 10 $quick",
    "score-segments": "score -r $made/short-refA.txt $made/UF.txt --per-segment "
    "-m bleu -m chrf -m ter -m nist -m sentbleu",
    "score-segments-tsv": "score -r $made/short-refA.txt $made/UF.txt $made/P3AI.txt --per-segment "
    "-m bleu -m chrf -f tsv",
    "score-details-text": "score -r $de/refA.txt $de2 -m bleu -m chrf -m ter -m nist --details "
    "-f text",
    "score-latex": "score -r $de/refA.txt $de3 -m bleu -m chrf -f latex",
    # compare
    "compare-default": "compare -r $de/refA.txt $de3",
    "compare-metrics": "compare -r $de/refA.txt $de3 -m bleu -m chrf -m ter -m nist -m mbleu "
    "-m gtm -m per -m wer -m length $quick",
    "compare-bootstrap": "compare -r $de/refA.txt $de3 -m bleu -m ter --test bootstrap $quick",
    "compare-bootstrap-absolute": "compare -r $de/refA.txt $de3 --test bootstrap-absolute $quick",
    **{
        f"compare-{correction}": f"compare -r $he/refA.txt $he3 $quick --correction {correction}"
        for correction in CORRECTIONS
    },
    "compare-tukey": "compare -r $de/refA.txt $de3 -m scores:path=$made/given.tsv $quick "
    "--correction tukey",
    "compare-scheffe": "compare -r $de/refA.txt $de3 -m scores:path=$made/given.tsv $quick "
    "--correction scheffe",
    "compare-threads": "compare -r $he/refA.txt -r $he/refB.txt $he3 -m bleu -m chrf $quick "
    "--threads 2",
    "compare-baseline": "compare -r $de/refA.txt $de6 --baseline Online-A -m bleu -m chrf $quick",
    "compare-westfall-young-baseline": "compare -r $de/refA.txt $de6 --baseline Online-A "
    "--correction westfall-young $quick",
    "compare-greater": "compare -r $de/refA.txt $de3 --alternative greater $quick",
    "compare-less": "compare -r $de/refA.txt $de3 --alternative less --test bootstrap $quick",
    "compare-margin": "compare -r $de/refA.txt $de3 --margin 0.5 -m bleu -m chrf $quick",
    "compare-adaptive": "compare -r $de/refA.txt $de3 --adaptive --replicates 4000",
    "compare-documents": "compare -r $es/refA.txt $es3 --documents $es/docs.tsv --unit document "
    "-m bleu -m ter $quick",
    "compare-documents-domains": "compare -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document --by-domain $quick",
    "compare-blocks": "compare -r $de/refA.txt $de3 --unit block --block-length 20 $quick",
    "compare-basic": "compare -r $de/refA.txt $de3 --interval basic $quick --level 0.99",
    "compare-bca": "compare -r $de/refA.txt $de3 --interval bca $quick",
    "compare-student": "compare -r $de/refA.txt $de3 -m scores:path=$made/given.tsv "
    "--interval student $quick",
    "compare-given-scores": "compare -r $de/refA.txt $judged "
    "-m scores:path=$de/human-mqm.tsv,missing=common -m bleu $quick",
    "compare-references": "compare -r $four/ref0.txt -r $four/ref1.txt -r $four/ref2.txt "
    "-r $four/ref3.txt $four4 -m bleu -m chrf -m ter $quick",
    "compare-runs": "compare -r $runs/ref.txt $runs9 --runs '{system}.opt{run}' -m bleu -m ter "
    "-m length $quick",
    "compare-runs-slot": "compare -r $runs/ref.txt $runs6 --runs '{system}.opt{run}' "
    "--about these-runs --swap-runs separately $quick",
    "compare-many": "compare -r $es/refA.txt $es/sys -m bleu --replicates 200",
    "compare-seed": "compare -r $zh/refA.txt $zh3 -m chrf:word_order=2 --seed 1 $quick",
    "compare-japanese": "compare -r $ja/refA.txt $ja3 -m bleu:tokenize=ja-mecab -m chrf $quick",
    "compare-dependency": "compare -r $made/short-refA.txt $made/UF.txt $made/P3AI.txt "
    "-m depf:parses=$made/parses -m sentbleu $quick",
    "compare-exact": "compare -r $made/tiny-refA.txt $made/tiny-UF.txt $made/tiny-P3AI.txt "
    "-m bleu -m chrf",
    "compare-text": "compare -r $de/refA.txt $de3 -m bleu -m chrf $quick --margin 1 -f text",
    "compare-tsv": "compare -r $de/refA.txt $de3 -m bleu -m chrf $quick -f tsv",
    # gate
    "gate-pass": "gate $de/sys/UF.txt $de/sys/ICL.txt -r $de/refA.txt",
    "gate-fail": "gate $de/sys/ICL.txt $de/sys/UF.txt -r $de/refA.txt -m bleu -m chrf -m ter",
    "gate-margin": "gate $de/sys/UF.txt $de/sys/P3AI.txt -r $de/refA.txt --margin 0.5 $quick",
    "gate-better": "gate $de/sys/UF.txt $de/sys/ICL.txt -r $de/refA.txt --margin 0 --level 0.99",
    "gate-documents": "gate $es/sys/IKUN.txt $es/sys/IKUN-C.txt -r $es/refA.txt "
    "--documents $es/docs.tsv --unit document --by-domain $quick",
    "gate-blocks": "gate $de/sys/P3AI.txt $de/sys/UF.txt -r $de/refA.txt --unit block "
    "--block-length 10 $quick",
    "gate-saved": "score $de/sys/UF.txt -r $de/refA.txt -m bleu -m ter --save $out/old.json.gz && "
    "gate $de/sys/P3AI.txt $out/old.json.gz -r $de/refA.txt -m bleu -m ter $quick",
    "gate-text": "gate $de/sys/UF.txt $de/sys/P3AI.txt -r $de/refA.txt $quick -f text",
    # plan
    "plan-pilot": "plan -r $de/refA.txt $de2 --difference 0.5 $quick",
    "plan-metrics": "plan -r $de/refA.txt $de2 -m bleu -m chrf -m ter --difference 0.5 "
    "--difference 0.3 --difference 1 --power 0.9 $quick",
    "plan-documents": "plan -r $es/refA.txt $es/sys/IKUN.txt $es/sys/Aya23.txt "
    "--documents $es/docs.tsv --unit document --difference 1 $quick",
    "plan-baseline": "plan -r $de/refA.txt $de3 --baseline UF --difference 1 $quick",
    "plan-comparisons": "plan -r $de/refA.txt $de2 --difference 0.5 --comparisons 10 "
    "--alternative greater --level 0.99 $quick",
    "plan-sd": "plan --sd 12 --difference 0.5",
    "plan-se": "plan --se 0.4 --reported-segments 1500 --difference 0.5 --power 0.9",
    "plan-interval": "plan --reported-interval 0.1 1.1 --reported-segments 2000 --difference 0.5",
    "plan-interval-level": "plan --reported-interval 0.1 1.1 --reported-level 0.9 "
    "--reported-segments 2000 --difference 1 --alternative greater",
    "plan-chart": "plan -r $de/refA.txt $de2 --difference 0.5 $quick --chart $out/chart.json",
    "plan-text": "plan -r $de/refA.txt $de2 --difference 0.5 $quick -f text",
    # sample
    "sample-broad": "sample -r $de/refA.txt $de2 --size 100 --out $out/drawn",
    "sample-random": "sample -r $de/refA.txt -s $de/src.txt $de2 --size 100 --draw random --seed 3 "
    "-m bleu -m chrf --out $out/drawn",
    "sample-stratified": "sample -r $es/refA.txt $es3 --documents $es/docs.tsv --size 120 "
    "--draw stratified --length-groups 3 --out $out/drawn",
    "sample-document": "sample -r $es/refA.txt $es3 --documents $es/docs.tsv --size 150 "
    "--draw document --out $out/drawn",
    "sample-source-only": "sample -s $zh/src.txt --size 50 --tokenizer zh --out $out/drawn",
    # agree
    "agree-default": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu -m chrf "
    "$agreeing",
    "agree-coefficients": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu -m ter "
    "-c pearson -c spearman -c pairwise-accuracy -c kendall-a -c kendall-b -c kendall-c -c tau-10 "
    "-c tau-13 -c tau-14 -c chen-cherry -c pairwise-difference-pearson -c tau-eq $agreeing",
    "agree-soft-pairwise": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu "
    "-m chrf -c spa $agreeing",
    "agree-acc-eq-scores": "agree -r $made/short-refA.txt $made/judged --human $made/short-mqm.tsv "
    "-m sentbleu -m chrf -c acc-eq $agreeing",
    "agree-acc-eq-pairs": "agree -r $made/short-refA.txt $made/judged --human $made/short-mqm.tsv "
    "-m sentbleu -m chrf -c acc-eq --permute pairs $agreeing",
    "agree-groupings": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m chrf -m ter "
    "-c pearson:level=segment,grouping=none -c kendall-b:grouping=system "
    "-c spearman:level=segment,grouping=item,average=macro,undefined=zero "
    "-c kendall-like:5 $agreeing",
    "agree-williams": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu -m chrf "
    "-m ter -c pearson --test williams --correction bh $agreeing",
    "agree-systems": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu -m chrf "
    "-c pearson -c pairwise-accuracy --resample systems $agreeing",
    "agree-segments-systems": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu "
    "-c pearson -c kendall-b --resample segments+systems $agreeing",
    "agree-documents": "agree -r $ted/refA.txt $ted5 --human $ted/human-mqm.tsv "
    "--documents $ted/docs.tsv --resample documents --ignore-unknown-systems -m bleu -m chrf "
    "$agreeing",
    "agree-annotations": "agree -r $ted/refA.txt $ted5 --human $ted/mqm-annotations.tsv "
    "--documents $ted/docs.tsv --ignore-unknown-systems -m bleu -m ter -c pearson -c kendall-b "
    "$agreeing",
    "agree-annotations-weights": "agree -r $ted/refA.txt $ted5 --human $ted/mqm-annotations.tsv "
    "--documents $ted/docs.tsv --ignore-unknown-systems -m chrf -c kendall-b -c pearson "
    "--weights Major=5,Minor=1 --raters z $agreeing",
    "agree-rankings": "agree -r $made/short-refA.txt $made/judged --human $made/rankings.csv "
    "-m sentbleu -m chrf $agreeing",
    "agree-direct-assessment": "agree -r $made/short-refA.txt $made/judged --human $made/da.txt "
    "--raters z -m sentbleu -m chrf -c pearson -c kendall-b $agreeing",
    "agree-raters": "agree -r $made/short-refA.txt $made/judged --human $made/raters.tsv "
    "--raters z -m sentbleu -m chrf -c pearson -c kendall-b $agreeing",
    "agree-rated": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu -m chrf "
    "-c pearson --system-scores rated $agreeing --level 0.9 --seed 4",
    "agree-without-texts": "agree --human $made/short-mqm.tsv -m scores:path=$made/metric1.tsv "
    "-m scores:path=$made/metric2.tsv $agreeing",
    "agree-chart": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv -m bleu -m chrf "
    "-c pearson $agreeing --chart $out/chart.json",
    # choose
    "choose-sentbleu": "choose -r $made/short-refA.txt $made/judged --human $made/short-mqm.tsv "
    "-m 'sentbleu:smoothing=4,k=1|5' $agreeing",
    "choose-chrf": "choose -r $de/refA.txt $judged --human $de/human-mqm.tsv "
    "-m 'chrf:char_order=4|6,beta=1|2' -c kendall-b --development 0.3 $agreeing",
    "choose-several": "choose -r $ted/refA.txt $ted5 --human $ted/human-mqm.tsv "
    "--documents $ted/docs.tsv --ignore-unknown-systems -m 'ter:case_sensitive=yes|no' "
    "-m 'bleu:max_order=2|4' -c pearson $agreeing",
    "choose-other-test-set": "choose -r $de/refA.txt $judged --human $de/human-mqm.tsv "
    "-m 'sentbleu:smoothing=1|3' --test-reference $ted/refA.txt --test-system $ted/sys "
    "--test-human $ted/human-mqm.tsv $agreeing",
    # study
    "study-sampling": "study sampling -r $de/refA.txt $de2 --sizes 100,200 --independent 100",
    "study-sampling-documents": "study sampling -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document --sizes 10,20 --independent 100 --baseline IKUN",
    "study-coverage": "study coverage -r $de/refA.txt $de2 -m bleu -m chrf --sizes 100,300 $study",
    "study-coverage-differences": "study coverage -r $de/refA.txt $de2 -m ter --sizes 100 $study "
    "--of differences --interval bca --sampling systematic",
    "study-coverage-documents": "study coverage -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document --sizes 20 $study --level 0.9 --interval basic --sampling random",
    "study-coverage-simulated": "study coverage --simulate 500 --sizes 100 $study",
    "study-power": "study power -r $de/refA.txt $de3 --sizes 100,300 $study",
    "study-power-tests": "study power -r $de/refA.txt $de3 --sizes 100 $study -m ter "
    "--test ar --test bootstrap --test bootstrap-absolute --test wins --test interval --pairs all",
    "study-power-blocks": "study power -r $es/refA.txt $es3 --sizes 100 $study --sampling block "
    "--pair IKUN Aya23 -m bleu -m chrf",
    "study-power-simulated": "study power --simulate 400 --sizes 100 $study",
    "study-accuracy": "study accuracy -r $de/refA.txt $de6 --sizes 100,300 $study",
    "study-accuracy-bands": "study accuracy -r $de/refA.txt $de3 --sizes 100 $study --test wins "
    "--bands 80,90,95 --sampling systematic",
    "study-test-size": "study test-size -r $de/refA.txt $de2 -m bleu -m nist -m mbleu $study "
    "--shares 20,50,100",
    "study-test-size-recount": "study test-size -r $de/refA.txt $de2 -m nist $study "
    "--shares 20,50,100 --recount",
    "study-test-size-documents": "study test-size -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document $study --shares 20,50,100",
    "study-references": "study references -r $four/ref0.txt -r $four/ref1.txt -r $four/ref2.txt "
    "-r $four/ref3.txt $four/out.0.txt -m bleu -m nist $study --subsets 3 --shares 50,75,100",
    "study-replicates": "study replicates -r $de/refA.txt $de2 -m bleu -m ter "
    "--replicates 100,200,500 --repetitions 5",
    "study-replicates-enough": "study replicates -r $es/refA.txt $es/sys/IKUN.txt "
    "--documents $es/docs.tsv --unit document --replicates 100,400 --repetitions 5 --enough 0.1",
    "study-sensitivity": "study sensitivity -r $de/refA.txt $de6 -m bleu -m nist -m chrf "
    "--replicates 300",
    "study-sensitivity-sizes": "study sensitivity -r $de/refA.txt $de3 -m bleu -m ter "
    "--sizes 100,300 --samples 5 --replicates 200 --correction bh",
    "study-sensitivity-systems": "study sensitivity -r $es/refA.txt $es4 -m bleu --replicates 300 "
    "--by-system",
    "study-type-one": "study type-one -r $de/refA.txt $de2 --repetitions 50 --replicates 100",
    "study-type-one-documents": "study type-one -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--null document --unit document --repetitions 50 --replicates 100 --test ar --test bootstrap",
    "study-type-one-student": "study type-one -r $de/refA.txt $de3 --repetitions 50 "
    "--replicates 100 -m scores:path=$made/given.tsv --test ar --test student",
    "study-type-one-together": "study type-one -r $de/refA.txt $de6 --together 2,3 "
    "--repetitions 50 --replicates 300",
    "study-type-one-simulated": "study type-one --simulate 100 --null simulated --repetitions 50 "
    "--replicates 100",
    "study-type-one-given": "study type-one -r $runs/ref.txt $runs6 -m bleu -m nist --null given "
    "--replicates 200",
    "study-length": "study length -r $de/refA.txt $de2 -m bleu -m gtm -m chrf -m ter "
    "--lengths 80,100,110",
    "study-length-choice": "study length -r $de/refA.txt $de6 --by choice",
    "study-length-japanese": "study length -r $ja/refA.txt $ja3 -m bleu:tokenize=char -m chrf "
    "--lengths 80,100",
    "study-smoothing": "study smoothing -r $de/refA.txt $judged --human $de/human-mqm.tsv "
    "$agreeing",
    "study-smoothing-documents": "study smoothing -r $ted/refA.txt $ted5 "
    "--human $ted/human-mqm.tsv --documents $ted/docs.tsv --ignore-unknown-systems "
    "--unit document --k 10 --epsilon 0.01 --alpha 2 --lowercase $agreeing",
    "study-smoothing-rankings": "study smoothing -r $made/short-refA.txt $made/judged "
    "--human $made/rankings.csv $agreeing",
    "study-chart": "study power -r $de/refA.txt $de3 --sizes 100,300 $study "
    "--chart $out/chart.json",
    "study-text": "study accuracy -r $de/refA.txt $de3 --sizes 100,300 $study -f text",
    # demo
    "demo": "demo --segments 200",
    "demo-saved": "demo --segments 60 --seed 5 --save $out/demo",
    # sacrebleu
    "sacrebleu-metrics": "sacrebleu $de/refA.txt -i $de/sys/UF.txt -m bleu chrf ter -w 14",
    "sacrebleu-references": "sacrebleu $de/refA.txt $de/refC.txt $de/refD.txt -i $de/sys/UF.txt "
    "-m bleu chrf ter -w 14 -cw 2 -lc",
    "sacrebleu-settings": "sacrebleu $de/refA.txt -i $de/sys/UF.txt -m bleu chrf ter -w 14 "
    "-s floor -sv 0.2 -tok intl --chrf-whitespace --chrf-beta 3 --ter-case-sensitive "
    "--ter-no-punct",
    "sacrebleu-confidence": "sacrebleu $de/refA.txt -i $de/sys/UF.txt -m bleu chrf ter -w 14 "
    "-ci -cin 200",
    "sacrebleu-several": "sacrebleu $de/refA.txt -i $de3 -m bleu chrf -w 14",
    "sacrebleu-text": "sacrebleu $de/refA.txt -i $de3 -m bleu chrf -w 14 -f text -nc",
    "sacrebleu-paired-bs": "sacrebleu $de/refA.txt -i $de3 -m bleu chrf ter -w 14 --paired-bs "
    "--paired-bs-n 300",
    "sacrebleu-paired-ar": "sacrebleu $de/refA.txt -i $de3 -m bleu chrf ter -w 14 --paired-ar "
    "--paired-ar-n 300",
    "sacrebleu-paired-bs-text": "sacrebleu $de/refA.txt -i $de3 -m bleu chrf -w 14 --paired-bs "
    "--paired-bs-n 300 -f text -nc",
    "sacrebleu-paired-ar-latex": "sacrebleu $de/refA.txt -i $de3 -w 14 --paired-ar "
    "--paired-ar-n 300 -f latex",
    **{
        f"sacrebleu-sentences-{metric}": "sacrebleu $made/short-refA.txt -i $made/UF.txt -sl -w 14 "
        f"-m {metric}"
        for metric in ("bleu", "chrf", "ter")
    },
    "sacrebleu-japanese": "sacrebleu $ja/refA.txt -i $ja/sys/KYB.txt -l en-ja -w 14",
    "sacrebleu-chinese": "sacrebleu $made/zh.txt -i $made/zh-output.txt -l en-zh -m bleu chrf "
    "-w 14",
    "sacrebleu-score-only": "sacrebleu $de/refA.txt -i $de/sys/UF.txt -m bleu chrf ter -b -w 14",
}

# --------------------------------------------------------------------------------------------------
# Inputs that are made of the data.

SEGMENTS = 200
TINY = 12
JUDGED = ("Facebook-AI", "HuaweiTSC", "Nemo", "Online-W", "UEdin")


def write_inputs(data: Path, made: Path) -> None:
    """Write short texts, and other formats of what the data sets hold."""
    folder = data / FOLDERS["de"]
    texts = {
        "refA": _lines(folder / "refA.txt"),
        **{name: _lines(folder / "sys" / f"{name}.txt") for name in ("UF", "P3AI")},
    }
    texts = {name: segments[:SEGMENTS] for name, segments in texts.items()}
    for name, segments in texts.items():
        _write(made / (f"short-{name}.txt" if name == "refA" else f"{name}.txt"), segments)
        _write(made / f"tiny-{name}.txt", segments[:TINY])
        parse = "short-refA" if name == "refA" else name
        _write(made / "parses" / f"{parse}.conllu", map(_chain, segments))
    for name in JUDGED:
        segments = _lines(folder / "sys" / f"{name}.txt")[:SEGMENTS]
        _write(made / "judged" / f"{name}.txt", segments)
    _write_tables(made, texts)
    _write_judgments(folder / "human-mqm.tsv", made)
    _write_scores(made / "metric1.tsv", JUDGED, SEGMENTS, 3)
    _write_scores(made / "metric2.tsv", JUDGED, SEGMENTS, 5)
    _write_scores(made / "given.tsv", ("UF", "P3AI", "ICL"), len(_lines(folder / "refA.txt")), 7)
    # A Chinese "output": the source text with every seventh character gone.
    chinese = _lines(data / FOLDERS["zh"] / "src.txt")[:SEGMENTS]
    _write(made / "zh.txt", chinese)
    _write(made / "zh-output.txt", (re.sub(r"(.{6}).", r"\1", line) or line for line in chinese))


def _write_tables(made: Path, texts: Mapping[str, Sequence[str]]) -> None:
    rows = [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]
    _write(made / "table.jsonl", (json.dumps(row, ensure_ascii=False) for row in rows))
    with open(made / "table.tsv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(texts), delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def _write_judgments(human: Path, made: Path) -> None:
    """Write human scores as scores, as scores of raters, as direct assessment and as rankings."""
    scores: dict[str, dict[int, float]] = {name: {} for name in JUDGED}
    for line in _lines(human)[1:]:
        system, segment, score = line.split("\t")
        if system in scores and int(segment) <= SEGMENTS and score != "None":
            scores[system][int(segment)] = float(score)
    rows = [(name, number, score) for name in JUDGED for number, score in scores[name].items()]
    head = "system\tsegment"
    _write(made / "short-mqm.tsv", [f"{head}\tmqm", *(f"{n}\t{i}\t{s}" for n, i, s in rows)])
    _write(
        made / "raters.tsv",
        [f"{head}\trater\tscore", *(f"{n}\t{i}\trater{i % 3}\t{s}" for n, i, s in rows)],
    )
    _write(
        made / "da.txt",
        ["SYS SID RAW.SCR Z.SCR N", *(f"{n} {i} {100 + s} {s / 5 + 1} 1" for n, i, s in rows)],
    )
    verdicts = []
    for left, right in combinations(JUDGED, 2):
        for number in sorted(scores[left].keys() & scores[right].keys()):
            difference = scores[left][number] - scores[right][number]
            verdict = "better" if difference > 0 else "worse" if difference < 0 else "tied"
            verdicts.append(f"{number},{left},{right},{verdict}")
    _write(made / "rankings.csv", ["segment,system1,system2,judgment", *verdicts])


def _write_scores(path: Path, systems: Iterable[str], segments: int, factor: int) -> None:
    """Write scores that nobody made: remainders, so that they differ and have ties."""
    rows = (
        f"{name}\t{number}\t{(number * (factor + position)) % 17 / 16}"
        for position, name in enumerate(systems)
        for number in range(1, segments + 1)
    )
    _write(path, ["system\tsegment\tscore", *rows])


def _chain(segment: str) -> str:
    """A parse in which each word hangs on the next one, under a label that its length decides."""
    words = segment.split()
    rows = []
    for number, word in enumerate(words, 1):
        last = number == len(words)
        head, label = (0, "root") if last else (number + 1, f"dep{len(word) % 4}")
        rows.append("\t".join(map(str, (number, word, word.lower(), "X", "_", "_", head, label))))
    return "".join(f"{row}\t_\t_\n" for row in rows)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


# --------------------------------------------------------------------------------------------------
# Recording.

TIMEOUT = 300
#: Files of these kinds in $out are recorded as well.
TEXT_FILES = (".json", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs cases with a command, on data."""

    command: Sequence[str]
    data: Path
    made: Path

    def record(self, name: str, row: str, scratch: Path) -> dict[str, Json]:
        """What a case printed and wrote, with folders replaced by the names of the table."""
        out = scratch / name
        out.mkdir(parents=True)
        steps = self._steps(row, out)
        environment = {**os.environ, "TRUEBLEU_THREADS": "1", "PYTHONHASHSEED": "0"}
        for step in steps:
            process = subprocess.run(
                [*self.command, *step],
                capture_output=True,
                encoding="utf-8",
                env=environment,
                timeout=TIMEOUT,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        folders = {str(out): "$out", str(self.made): "$made", str(self.data): "$data"}
        return {
            "case": name,
            "arguments": row,
            "exit": process.returncode,
            "output": _parsed(_without(process.stdout, folders)),
            "files": {
                path.relative_to(out).as_posix(): _parsed(
                    _without(path.read_text("utf-8"), folders)
                )
                for path in sorted(out.rglob("*"))
                if path.suffix in TEXT_FILES
            },
            "errors": list(_without(process.stderr, folders).splitlines()),
        }

    def _steps(self, row: str, out: Path) -> list[list[str]]:
        """The arguments of each command of a row."""
        values = {name: shlex.quote(str(self.data / folder)) for name, folder in FOLDERS.items()}
        values |= {"made": shlex.quote(str(self.made)), "out": shlex.quote(str(out)), **SHORT}
        for group, (stem, names) in SYSTEMS.items():
            files = (f"{stem}{name}.txt" for name in names.split())
            values[group] = Template(" ".join(files)).substitute(values)
        steps: list[list[str]] = [[]]
        for argument in shlex.split(Template(row).substitute(values)):
            if argument == "&&":
                steps.append([])
            else:
                steps[-1].append(argument)
        for step in steps:
            if step[0] not in PLAIN and "-f" not in step:
                step += ["-f", "json"]
        return steps


def _without(text: str, folders: Mapping[str, str]) -> str:
    for folder, name in folders.items():
        text = text.replace(folder, name)
    return text


def _parsed(text: str) -> Json:
    """JSON where it is JSON, or else the lines; numbers between tabs are numbers."""
    try:
        parsed: Json = json.loads(text)
    except ValueError:
        rows = (line.split("\t") for line in text.splitlines())
        return [_cell(row[0]) if len(row) == 1 else [_cell(cell) for cell in row] for row in rows]
    return parsed


def _cell(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def record(options: argparse.Namespace) -> int:
    """Run the cases, and write a file for each; 1 where one could not be run."""
    chosen = {
        name: row
        for name, row in CASES.items()
        if not options.only or any(part in name for part in options.only)
    }
    started = monotonic()
    failed = 0
    options.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        runner = Runner(shlex.split(options.command), options.data, Path(scratch) / "made")
        write_inputs(options.data, runner.made)

        def run(name: str) -> tuple[str, dict[str, Json], float]:
            begun = monotonic()
            return name, runner.record(name, chosen[name], Path(scratch)), monotonic() - begun

        for name, recorded, seconds in pool.map(run, chosen):
            (options.folder / f"{name}.json").write_text(
                json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            # 1 is what a gate says when it does not let a system pass.
            if recorded["exit"] not in ((0, 1) if name.startswith("gate") else (0,)):
                failed += 1
                print(f"{name}: exit {recorded['exit']}\n  {_last(recorded['errors'])}")
            elif options.times:
                print(f"{seconds:6.2f} s  {name}")
    print(f"{len(chosen)} cases, {failed} failed, {monotonic() - started:.0f} s")
    return 1 if failed else 0


def _last(lines: Json) -> str:
    return str(lines[-1]) if isinstance(lines, list) and lines else ""


# --------------------------------------------------------------------------------------------------
# Comparing.

TOLERANCE = 1e-12
#: What may differ from one version to the next.
PASSING = re.compile(r"version:[^|\s\"]+|sha256:[0-9a-f]+|\b\d+\.\d+\.\d+\S*|\b[0-9a-f]{32,}\b")
DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?", re.IGNORECASE)
#: Keys whose values say which version wrote a file.
VERSIONS = ("version", "$schema")
SHOWN = 8


@dataclass(slots=True)
class Difference:
    """How the numbers of a case differ."""

    renames: list[str] = field(default_factory=list)
    #: Numbers that are found again, but under another key or in another order.
    moved: int = 0
    #: Places that hold another number, or another yes or no, than before.
    changed: list[str] = field(default_factory=list)
    disappeared: list[Number] = field(default_factory=list)
    #: Those that are still there, but fewer times.
    fewer: list[Number] = field(default_factory=list)
    appeared: list[Number] = field(default_factory=list)
    #: Whole numbers, such as settings and counts, that went with their keys.
    whole_disappeared: list[Number] = field(default_factory=list)
    wording: int = 0

    @property
    def lost(self) -> bool:
        """Whether a number is not what it was."""
        return bool(self.changed or self.disappeared)

    def heading(self) -> str:
        """The answer in a few words."""
        if self.lost:
            return "NUMBERS DISAPPEARED" if self.disappeared else "NUMBERS CHANGED"
        if self.fewer:
            return "numbers occur less often"
        if self.renames:
            return "same numbers, keys renamed"
        if self.moved or self.whole_disappeared:
            return "same numbers, rearranged"
        if self.appeared:
            return "same numbers and more"
        return "same numbers, other words" if self.wording else "identical"

    def details(self, everything: bool) -> Iterator[str]:
        """Lines that say more."""
        for label, found in (
            ("renamed", self.renames),
            ("changed", self.changed),
            ("disappeared", self.disappeared),
            ("less often", self.fewer),
            ("appeared", self.appeared),
            ("whole numbers gone", self.whole_disappeared),
        ):
            if found:
                shown = [str(one) for one in (found if everything else found[:SHOWN])]
                rest = f" … and {len(found) - len(shown)} more" if len(found) > len(shown) else ""
                yield f"{label}: {'; '.join(shown)}{rest}"
        if self.moved:
            yield f"moved: {self.moved} numbers"
        if self.wording:
            yield f"other words in {self.wording} places"


def difference(before: Json, after: Json) -> Difference:
    """Compare two documents by their numbers: first place by place, then wherever they are."""
    result = Difference()
    old, new = dict(_flat(before)), dict(_flat(after))
    everything = list(_numbers(new.values()))
    rigid = old.keys() == new.keys()
    for place in [place for place in old if place in new and _same(old[place], new[place])]:
        del old[place], new[place]
    reworded = [
        place
        for place, text in old.items()
        if isinstance(text, str) and isinstance(new.get(place), str)
    ]
    result.wording = len(reworded)
    for place in reworded:
        if list(_numbers([old[place]])) == list(_numbers([new[place]])):
            del old[place], new[place]
    result.renames = _match_renamed(old, new)
    numbers = list(_numbers(old.values()))
    gone, result.appeared = _unmatched(numbers, _numbers(new.values()))
    result.moved = len(numbers) - len(gone)
    for number in gone:
        if isinstance(number, int):
            result.whole_disappeared.append(number)
        elif any(_close(number, other) for other in everything):
            result.fewer.append(number)
        else:
            result.disappeared.append(number)
    grown = _lengths(before).items() ^ _lengths(after).items()
    lists = {place for place, _ in grown}
    for place in (place for place in old if place in new):
        a, b = old[place], new[place]
        if a is None or isinstance(a, str) or isinstance(b, str):
            continue
        # In a list that lost or gained entries, a place is not the same any more.
        shifted = any(place[:end] in lists for end in range(len(place)))
        if rigid or ((isinstance(a, bool) or a in gone) and not shifted):
            result.changed.append(f"{_spelled(place)}: {a} → {b}")
    return result


def _lengths(value: Json, place: Place = ()) -> dict[Place, int]:
    """The length of each list."""
    lengths: dict[Place, int] = {}
    if isinstance(value, list):
        lengths[place] = len(value)
    inner = value.items() if isinstance(value, dict) else enumerate(_entries(value))
    for key, entry in inner:
        lengths |= _lengths(entry, (*place, key))
    return lengths


def _entries(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _flat(value: Json, place: Place = ()) -> Iterator[tuple[Place, Scalar]]:
    """Every value with its place, without those that tell versions."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in VERSIONS:
                yield from _flat(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(inner, (*place, index))
    else:
        yield place, PASSING.sub("", value) if isinstance(value, str) else value


def _is_number(value: Scalar) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(a: Scalar, b: Scalar) -> bool:
    if _is_number(a) and _is_number(b):
        return _close(a, b)
    return type(a) is type(b) and a == b


def _close(a: Number, b: Number) -> bool:
    return a == b or isclose(a, b, rel_tol=TOLERANCE) or (isnan(a) and isnan(b))


def _numbers(values: Iterable[Scalar]) -> Iterator[Number]:
    """All numbers of some values; of a text, those with a decimal point."""
    for value in values:
        if isinstance(value, str):
            yield from map(float, DECIMAL.findall(value))
        elif _is_number(value):
            yield value


def _unmatched(
    before: Iterable[Number], after: Iterable[Number]
) -> tuple[list[Number], list[Number]]:
    """What is left of two multisets when equal numbers are paired."""
    left, right = sorted(before, reverse=True), sorted(after, reverse=True)
    gone: list[Number] = []
    appeared: list[Number] = []
    while left and right:
        if _close(left[-1], right[-1]):
            left.pop()
            right.pop()
        elif left[-1] < right[-1]:
            gone.append(left.pop())
        else:
            appeared.append(right.pop())
    return gone + left[::-1], appeared + right[::-1]


def _match_renamed(old: dict[Place, Scalar], new: dict[Place, Scalar]) -> list[str]:
    """Pair what is left by its keys, where all values under two of them are equal; remove these.

    Of several candidates, the one whose keys are most alike is taken.
    """
    before = _by_shape(place for place in old if place not in new)
    after = _by_shape(place for place in new if place not in old)
    candidates = sorted(
        (-_alike(one, other), one, other)
        for one in before
        for other in after
        if len(before[one]) == len(after[other])
        and all(_same(old[a], new[b]) for a, b in zip(before[one], after[other], strict=True))
    )
    renames: set[str] = set()
    for _, one, other in candidates:
        if one in before and other in after:
            for a, b in zip(before.pop(one), after.pop(other), strict=True):
                del old[a], new[b]
            renames.update(_renaming(one, other))
    return sorted(renames)


def _by_shape(places: Iterable[Place]) -> dict[Shape, list[Place]]:
    shapes: dict[Shape, list[Place]] = {}
    for place in places:
        shape = tuple("[]" if isinstance(key, int) else key for key in place)
        shapes.setdefault(shape, []).append(place)
    return shapes


def _alike(one: Shape, other: Shape) -> int:
    """How many keys two places share, from either end."""
    start = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    backwards = zip(one[start:][::-1], other[start:][::-1], strict=False)
    end = next(
        (i for i, (a, b) in enumerate(backwards) if a != b),
        min(len(one), len(other)) - start,
    )
    return start + end


def _renaming(one: Shape, other: Shape) -> list[str]:
    """The keys that differ where two places are equally deep; otherwise the places."""
    if len(one) == len(other):
        return [f"{a} → {b}" for a, b in zip(one, other, strict=True) if a != b]
    return [f"{_spelled(one)} → {_spelled(other)}"]


def _spelled(place: Place | Shape) -> str:
    return ".".join(map(str, place)).replace(".[]", "[]")


def compare(options: argparse.Namespace) -> int:
    """Compare all cases; 1 where a number of a case that is not allowed to has disappeared."""
    before, after = _recorded(options.before), _recorded(options.after)
    headings: Counter[str] = Counter()
    refused = []
    for name in sorted(before.keys() | after.keys()):
        details: list[str] = []
        if name not in after or name not in before:
            heading = "MISSING AFTER" if name not in after else "new case"
            bad = name not in after
        elif before[name]["exit"] != after[name]["exit"]:
            heading, bad = f"EXIT {before[name]['exit']} → {after[name]['exit']}", True
            details = [_last(after[name]["errors"])]
        else:
            found = difference(_answer(before[name]), _answer(after[name]))
            heading, details = found.heading(), list(found.details(options.all))
            bad = found.lost or (bool(found.fewer) and not options.ignore_copies)
        allowed = " (allowed)" if bad and name in options.allow else ""
        headings[heading + allowed] += 1
        if bad and not allowed:
            refused.append(name)
        if heading != "identical" and (bad or not options.quiet):
            print("\n    ".join([f"{name}: {heading}{allowed}", *details]))
    for heading, count in headings.most_common():
        print(f"{count:4}  {heading}")
    return 1 if refused else 0


def _answer(recorded: Mapping[str, Json]) -> Json:
    return {"output": recorded["output"], "files": recorded["files"]}


def _recorded(folder: Path) -> dict[str, dict[str, Json]]:
    files = sorted(folder.glob("*.json"))
    if not files:
        sys.exit(f"{folder}: no recorded cases")
    return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


# --------------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    actions = parser.add_subparsers(required=True, metavar="record|compare")
    recording = actions.add_parser("record", help="run all cases, and write down what they print")
    recording.add_argument("folder", type=Path, metavar="DIR")
    recording.add_argument("--data", type=Path, default=DATA, help="the data sets (%(default)s)")
    recording.add_argument(
        "--command",
        default=os.environ.get(
            "SAME_DIGITS_COMMAND", shlex.join([sys.executable, "-m", "truebleu"])
        ),
        help="what to run; default: SAME_DIGITS_COMMAND, or this Python with -m truebleu",
    )
    recording.add_argument("--jobs", type=int, default=2, help="cases at a time (%(default)s)")
    recording.add_argument(
        "--only", action="append", metavar="PART", help="only cases with this in their names"
    )
    recording.add_argument("--times", action="store_true", help="say how long each case takes")
    recording.set_defaults(action=record)
    comparing = actions.add_parser("compare", help="tell whether the numbers are the same")
    comparing.add_argument("before", type=Path, metavar="BEFORE")
    comparing.add_argument("after", type=Path, metavar="AFTER")
    comparing.add_argument(
        "--allow", action="append", default=[], metavar="CASE", help="a case that may differ"
    )
    comparing.add_argument(
        "--ignore-copies",
        action="store_true",
        help="let numbers occur less often, as long as they occur",
    )
    comparing.add_argument("--all", action="store_true", help="list all numbers, not the first few")
    comparing.add_argument("--quiet", action="store_true", help="list only cases that fail")
    comparing.set_defaults(action=compare)
    options = parser.parse_args(arguments)
    return int(options.action(options))


if __name__ == "__main__":
    sys.exit(main())
