"""The commands whose numbers `same_digits` records, and the inputs that some of them need.

"-f json" is added to every command that is not in PLAIN, unless the row says -f itself. Steps are
joined by &&; the output of the last one is recorded, and so are the files that end up in $out.
CALLS are calls from Python. Cases called refused-NAME must exit with 2.
"""

from __future__ import annotations

import csv
import json
import re
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

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
    "short2": ("$made/", "UF P3AI"),
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

CORRECTIONS = ("none", "bonferroni", "bh", "westfall-young")

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
    "compare-many": "compare -r $es/refA.txt $es/sys -m bleu --replicates 6000",
    "compare-seed": "compare -r $zh/refA.txt $zh3 -m chrf:word_order=2 --seed 1 $quick",
    "compare-japanese": "compare -r $ja/refA.txt $ja3 -m bleu:tokenize=ja-mecab -m chrf $quick",
    "compare-dependency": "compare -r $made/short-refA.txt $made/UF.txt $made/P3AI.txt "
    "-m depf:parses=$made/parses -m sentbleu $quick",
    "compare-exact": "compare -r $made/tiny-refA.txt $made/tiny-UF.txt $made/tiny-P3AI.txt "
    "-m bleu -m chrf",
    "compare-text": "compare -r $de/refA.txt $de3 -m bleu -m chrf $quick --margin 1 -f text",
    "compare-tsv": "compare -r $de/refA.txt $de3 -m bleu -m chrf $quick -f tsv",
    # gate
    "gate-pass": "gate $de/sys/UF.txt --baseline $de/sys/ICL.txt -r $de/refA.txt",
    "gate-fail": "gate $de/sys/ICL.txt --baseline $de/sys/UF.txt -r $de/refA.txt -m bleu chrf ter",
    "gate-margin": "gate $de/sys/UF.txt --baseline $de/sys/P3AI.txt -r $de/refA.txt --margin 0.5",
    "gate-better": "gate $de/sys/UF.txt --baseline $de/sys/ICL.txt -r $de/refA.txt --margin 0 "
    "--level 0.99",
    "gate-documents": "gate $es/sys/IKUN.txt --baseline $es/sys/IKUN-C.txt -r $es/refA.txt "
    "--documents $es/docs.tsv --unit document --by-domain $quick",
    "gate-blocks": "gate $de/sys/P3AI.txt --baseline $de/sys/UF.txt -r $de/refA.txt --unit block "
    "--block-length 10 $quick",
    "gate-saved": "score $de/sys/UF.txt -r $de/refA.txt -m bleu -m ter --save $out/old.npz && "
    "gate $de/sys/P3AI.txt --baseline $out/old.npz -r $de/refA.txt -m bleu -m ter $quick",
    "gate-text": "gate $de/sys/UF.txt --baseline $de/sys/P3AI.txt -r $de/refA.txt $quick -f text",
    # groups, explanations and panels of texts
    "compare-groups": "compare -r $es/refA.txt $es3 --documents $es/docs.tsv --by domain "
    "-m bleu -m ter $quick",
    "score-groups": "score -r $es/refA.txt $es3 --documents $es/docs.tsv --by domain --confidence "
    "$quick",
    "explain-default": "explain -r $de/refA.txt $de2 -m bleu -m chrf $quick",
    "explain-groups": "explain -r $es/refA.txt $es/sys/IKUN.txt $es/sys/Aya23.txt "
    "--documents $es/docs.tsv --by domain $quick",
    "explain-nist": "explain -r $made/short-refA.txt $short2 -m nist -m ter -m sentbleu $quick",
    "panel-default": "panel $made/sets -m bleu -m ter $quick",
    "panel-drawn": "panel $made/sets --languages drawn --baseline UF $quick",
    "check-train": "check -r $de/refA.txt $de2 --train $made/short-refA.txt --ngram 5",
    # items: scores of 0 and 1, numbers, missing scores, several answers
    "items-score": "score $made/items -m scores",
    "items-score-confidence": "score $made/items -m scores --confidence $quick",
    "items-segments": "score $made/items -m scores --per-segment",
    "items-compare": "compare $made/items $quick",
    "items-compare-text": "compare $made/items $quick -f text",
    "items-documents": "compare $made/items --documents passage $quick",
    "items-groups": "compare $made/items --by kind $quick",
    "items-score-groups": "score $made/items -m scores --by kind --confidence $quick",
    "items-tests": "compare $made/items --test bootstrap --correction bonferroni --margin 0.1 "
    "$quick",
    "items-plan": "plan $made/items/a.jsonl $made/items/b.jsonl -m scores --difference 0.1 $quick",
    "gate-items": "gate $made/items/a.jsonl --baseline $made/items/b.jsonl $quick",
    "gate-items-margin": "gate $made/items/a.jsonl --baseline $made/items/b.jsonl --margin 0.1",
    "numbers-compare": "compare $made/numbers $quick",
    "numbers-adaptive": "compare $made/numbers --adaptive $quick",
    "numbers-tukey": "compare $made/numbers --correction tukey $quick",
    "numbers-explain": "explain $made/numbers/a.jsonl $made/numbers/b.jsonl $quick",
    "gate-numbers": "gate $made/numbers/a.jsonl --baseline $made/numbers/b.jsonl"
    " --higher-is-better $quick",
    "items-panel": "panel $made/benchmarks -m scores $quick",
    "items-panel-drawn": "panel $made/benchmarks -m scores --languages drawn $quick",
    "refused-missing": "compare $made/missing $quick",
    "missing-common": "compare $made/missing -m scores:missing=common $quick",
    "missing-omit": "compare $made/missing -m scores:missing=omit $quick",
    "answers-runs": "compare $made/answers $quick",
    "answers-mean": "compare $made/answers -m scores:answers=mean $quick",
    "answers-pass": "compare $made/answers -m scores:answers=pass@2 $quick",
    "answers-score": "score $made/answers -m scores",
    "refused-texts-of-items": "compare $made/items/a.jsonl $made/items/b.jsonl -m chrf $quick",
    "items-human": "agree $made/items -m scores --human $made/human-items.tsv $agreeing",
    # scores of other tools, beside texts and alone
    "given-beside-texts": "compare -r $made/short-refA.txt $short2 -m bleu "
    "-m scores:path=$made/short-given.tsv,name=COMET $quick",
    "given-alone": "compare -m scores:path=$made/short-given.tsv $quick",
    "given-alone-documents": "compare -m scores:path=$made/short-given.tsv "
    "--documents $made/short-docs.tsv $quick",
    "given-segments": "score -r $made/short-refA.txt $short2 -m scores:path=$made/short-given.tsv "
    "--per-segment",
    "given-explain": "explain -r $made/short-refA.txt $short2 -m scores:path=$made/short-given.tsv "
    "--documents $made/short-docs.tsv $quick",
    # saved counts and ledgers
    "saved-compare": "score -r $made/short-refA.txt $short2 -m bleu -m ter --save $out/saved.npz "
    "&& compare $out/saved.npz -m bleu -m ter $quick",
    "saved-beside-texts": "score -r $made/short-refA.txt $made/UF.txt -m bleu -m ter "
    "--save $out/saved.npz && compare -r $made/short-refA.txt $made/P3AI.txt $out/saved.npz "
    "-m bleu -m ter $quick",
    "saved-score": "score -r $made/short-refA.txt $short2 -m bleu -m nist --save $out/saved.npz "
    "&& score $out/saved.npz -m nist -m bleu --confidence $quick",
    "saved-documents": "score -r $made/short-refA.txt $short2 --documents $made/short-docs.tsv "
    "--save $out/saved.npz && compare $out/saved.npz $quick",
    "saved-explain": "score -r $made/short-refA.txt $short2 -m ter --save $out/saved.npz && "
    "explain $out/saved.npz -m ter $quick",
    "saved-panel": "score -r $made/short-refA.txt $short2 --save $out/one.npz && "
    "score -r $made/tiny-refA.txt UF=$made/tiny-UF.txt P3AI=$made/tiny-P3AI.txt "
    "--save $out/two.npz && panel $out/one.npz $out/two.npz $quick",
    "refused-saved-metric": "score -r $made/short-refA.txt $short2 --save $out/saved.npz && "
    "compare $out/saved.npz -m chrf $quick",
    "gate-ledger": "gate $made/UF.txt --baseline $made/P3AI.txt -r $made/short-refA.txt "
    "--ledger $out/looks.db $quick && gate $made/P3AI.txt --baseline $made/UF.txt "
    "-r $made/short-refA.txt --ledger $out/looks.db $quick",
    "gate-ledger-repeated": "gate $made/UF.txt --baseline $made/P3AI.txt "
    "-r $made/short-refA.txt --ledger $out/looks.db --looks 5 $quick && gate $made/UF.txt "
    "--baseline $made/P3AI.txt -r $made/short-refA.txt --ledger $out/looks.db --looks 5 $quick",
    "gate-ledger-items": "gate $made/items/a.jsonl --baseline $made/items/b.jsonl "
    "--ledger $out/looks.db $quick && gate $made/items/a.jsonl --baseline $made/items/c.jsonl "
    "--ledger $out/looks.db $quick",
    # plan
    "plan-pilot": "plan -r $de/refA.txt $de2 --difference 0.5 $quick",
    "plan-metrics": "plan -r $de/refA.txt $de2 -m bleu -m chrf -m ter --difference 0.5 "
    "--difference 0.3 --difference 1 --power 0.9 $quick",
    "plan-documents": "plan -r $es/refA.txt $es/sys/IKUN.txt $es/sys/Aya23.txt "
    "--documents $es/docs.tsv --unit document --difference 1 $quick",
    "plan-baseline": "plan -r $de/refA.txt $de3 --baseline UF --difference 1 $quick",
    "plan-comparisons": "plan -r $de/refA.txt $de2 --difference 0.5 --comparisons 10 "
    "--alternative greater --level 0.99 $quick",
    "plan-chart": "plan -r $de/refA.txt $de2 --difference 0.5 $quick --chart $out/chart.json",
    "plan-text": "plan -r $de/refA.txt $de2 --difference 0.5 $quick -f text",
    # sample
    "sample-broad": "sample -r $de/refA.txt $de2 --size 100 -o $out/drawn",
    "sample-random": "sample -r $de/refA.txt -s $de/src.txt $de2 --size 100 --draw random --seed 3 "
    "-o $out/drawn",
    "sample-stratified": "sample -r $es/refA.txt $es3 --documents $es/docs.tsv --size 120 "
    "--draw stratified -o $out/drawn",
    "sample-document": "sample -r $es/refA.txt $es3 --documents $es/docs.tsv --size 150 "
    "--draw document -o $out/drawn",
    "sample-source-only": "sample -s $zh/src.txt --size 50 --tokenizer zh -o $out/drawn",
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
    "--documents $ted/docs.tsv --resample documents --others ignore -m bleu -m chrf "
    "$agreeing",
    "agree-annotations": "agree -r $ted/refA.txt $ted5 --human $ted/mqm-annotations.tsv "
    "--documents $ted/docs.tsv --others ignore -m bleu -m ter -c pearson -c kendall-b "
    "$agreeing",
    "agree-annotations-weights": "agree -r $ted/refA.txt $ted5 --human $ted/mqm-annotations.tsv "
    "--documents $ted/docs.tsv --others ignore -m chrf -c kendall-b -c pearson "
    "--human-weights Major=5,Minor=1 --raters z $agreeing",
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
    # agree --grid
    "choose-sentbleu": "agree -r $made/short-refA.txt $made/judged --human $made/short-mqm.tsv "
    "--grid 'sentbleu:smoothing=4,k=1|5' $agreeing",
    "choose-chrf": "agree -r $de/refA.txt $judged --human $de/human-mqm.tsv "
    "--grid 'chrf:char_order=4|6,beta=1|2' -c kendall-b --development 0.3 $agreeing",
    "choose-several": "agree -r $ted/refA.txt $ted5 --human $ted/human-mqm.tsv "
    "--documents $ted/docs.tsv --others ignore --grid 'ter:case_sensitive=yes|no' "
    "--grid 'bleu:max_order=2|4' -c pearson $agreeing",
    # study
    "study-sampling": "study sampling -r $de/refA.txt $de2 --sizes 100,200 --independent 100",
    "study-sampling-documents": "study sampling -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document --sizes 10,20 --independent 100",
    "study-coverage": "study coverage -r $de/refA.txt $de2 -m bleu -m chrf --sizes 100,300 $study",
    "study-coverage-differences": "study coverage -r $de/refA.txt $de2 -m ter --sizes 100 $study "
    "--of differences --interval bca --sampling systematic",
    "study-coverage-documents": "study coverage -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document --sizes 20 $study --level 0.9 --interval bca --sampling random",
    "study-coverage-simulated": "study coverage --simulate 500 --sizes 100 $study",
    "study-power": "study power -r $de/refA.txt $de3 --sizes 100,300 $study",
    "study-power-tests": "study power -r $de/refA.txt $de3 --sizes 100 $study -m ter "
    "--tests ar,bootstrap,bootstrap-absolute,wins,interval --pairs all",
    "study-power-blocks": "study power -r $es/refA.txt $es3 --sizes 100 $study --sampling block "
    "--pairs all -m bleu -m chrf",
    "study-power-simulated": "study power --simulate 400 --sizes 100 $study",
    "study-accuracy": "study accuracy -r $de/refA.txt $de6 --sizes 100,300 $study",
    "study-accuracy-systematic": "study accuracy -r $de/refA.txt $de3 --sizes 100 $study --tests "
    "wins --sampling systematic",
    "study-test-size": "study test-size -r $de/refA.txt $de2 -m bleu -m nist -m mbleu $study "
    "--shares 0.2,0.5,1",
    "study-test-size-recount": "study test-size -r $de/refA.txt $de2 -m nist $study "
    "--shares 0.2,0.5,1 --recount",
    "study-test-size-documents": "study test-size -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--unit document $study --shares 0.2,0.5,1",
    "study-references": "study references -r $four/ref0.txt -r $four/ref1.txt -r $four/ref2.txt "
    "-r $four/ref3.txt $four/out.0.txt -m bleu -m nist $study --shares 0.5,0.75,1",
    "study-replicates": "study replicates -r $de/refA.txt $de2 -m bleu -m ter "
    "--replicates 100,200,500 --repetitions 5",
    "study-replicates-enough": "study replicates -r $es/refA.txt $es/sys/IKUN.txt "
    "--documents $es/docs.tsv --unit document --replicates 100,400 --repetitions 5 --enough 0.1",
    "study-sensitivity": "study sensitivity -r $de/refA.txt $de6 -m bleu -m nist -m chrf "
    "--replicates 300",
    "study-sensitivity-sizes": "study sensitivity -r $de/refA.txt $de3 -m bleu -m ter "
    "--sizes 100,300 --samples 5 --replicates 200 --correction bh",
    "study-sensitivity-systems": "study sensitivity -r $es/refA.txt $es4 -m bleu --replicates 300",
    "study-type-one": "study type-one -r $de/refA.txt $de2 --repetitions 50 --replicates 100",
    "study-type-one-documents": "study type-one -r $es/refA.txt $es3 --documents $es/docs.tsv "
    "--null document --unit document --repetitions 50 --replicates 100 --tests ar,bootstrap",
    "study-type-one-together": "study multiplicity -r $de/refA.txt $de6 --together 2,3 "
    "--repetitions 50 --replicates 300",
    "study-type-one-given": "study equivalents -r $runs/ref.txt $runs6 -m bleu -m nist "
    "--replicates 200",
    "study-length": "study length -r $de/refA.txt $de2 -m bleu -m gtm -m chrf -m ter "
    "--lengths 0.8,1,1.1",
    "study-length-japanese": "study length -r $ja/refA.txt $ja3 -m bleu:tokenize=char -m chrf "
    "--lengths 0.8,1",
    "study-smoothing": "study smoothing -r $de/refA.txt $judged --human $de/human-mqm.tsv "
    "$agreeing",
    "study-smoothing-documents": "study smoothing -r $ted/refA.txt $ted5 "
    "--human $ted/human-mqm.tsv --documents $ted/docs.tsv --others ignore "
    "--unit document $agreeing",
    "study-smoothing-rankings": "study smoothing -r $made/short-refA.txt $made/judged "
    "--human $made/rankings.csv $agreeing",
    "study-chart": "study power -r $de/refA.txt $de3 --sizes 100,300 $study "
    "--chart $out/chart.json",
    "study-text": "study accuracy -r $de/refA.txt $de3 --sizes 100,300 $study -f text",
    # demo
    # n-best lists: the outputs of five systems as candidates
    "nbest-stats": "nbest stats $made/lists.moses",
    "nbest-stats-samples": "nbest stats $made/samples.jsonl",
    "nbest-oracle": "nbest oracle $made/lists.moses -r $made/short-refA.txt -m bleu -m chrf -m ter",
    "nbest-oracle-plus-one": "nbest oracle $made/lists.moses -r $made/short-refA.txt "
    "--sentence plus-one",
    "tune-mert": "tune $made/lists.moses -r $made/short-refA.txt $quick -o $out/weights.json",
    "tune-mert-runs": "tune $made/lists.moses -r $made/short-refA.txt $quick --repeats 2 --folds 2 "
    "--method mert:restarts=3,window=2,window_kind=min --start $made/weights.tsv",
    "tune-bounds": "tune $made/lists.moses -r $made/short-refA.txt $quick --folds 2 "
    "--fix LM0=0.5 --bound TM0_0=-1:1 -m ter",
    "tune-mira": "tune $made/lists.moses -r $made/short-refA.txt $quick --method mira:epochs=10 "
    "-m chrf",
    "tune-mira-sparse": "tune $made/sparse.moses -r $made/short-refA.txt $quick --folds 2 "
    "--method mira:epochs=5",
    "tune-pro": "tune $made/lists.moses -r $made/short-refA.txt $quick --method pro:draws=500",
    "tune-expected-bleu": "tune $made/lists.moses -r $made/short-refA.txt $quick "
    "--method expected-bleu:epochs=5,l2=1 -m sentbleu:smoothing=2",
    "tune-risk": "tune $made/lists.moses -r $made/short-refA.txt $quick --method risk -m bleu "
    "-m chrf",
    "tune-expected-corpus-bleu": "tune $made/lists.moses -r $made/short-refA.txt $quick "
    "--method expected-corpus-bleu",
    "tune-feature": "tune $made/samples.jsonl -m feature:quality $quick",
    "tune-test": "tune $made/lists.moses -r $made/short-refA.txt $quick "
    "--test-lists $made/lists.moses --test-reference $made/short-refA.txt",
    "rerank-weights": "rerank $made/lists.moses --weights $made/weights.tsv $quick "
    "-r $made/short-refA.txt",
    "rerank-quality": "rerank $made/samples.jsonl --quality quality --quality=-words $quick "
    "-r $made/short-refA.txt -o $out/best.txt",
    "rerank-log-linear": "rerank $made/lists.moses $quick -r $made/short-refA.txt -m nist -m bleu",
    "rerank-ngrams": "rerank $made/samples.jsonl --ngrams 2 --gamma 3 "
    "--folds 2 $quick -r $made/short-refA.txt",
    "rerank-train": "rerank $made/lists.moses --train-lists $made/lists.moses "
    "--train-reference $made/short-refA.txt $quick -r $made/short-refA.txt",
    "mbr-default": "mbr $made/lists.moses -o $out/best.txt",
    "mbr-text": "mbr $made/lists.moses -r $made/short-refA.txt -f text",
    "mbr-probability": "mbr $made/samples.jsonl --weigh-by probability --temperature 2 -m bleu "
    "--best 3 -r $made/short-refA.txt",
    "mbr-counts": "mbr $made/samples.jsonl --weigh-by counts -m ter",
    "mbr-aggregate": "mbr $made/lists.moses --method aggregate --check -m bleu",
    "mbr-prune": "mbr $made/lists.moses --method prune:alpha=0.9,seed=3 --check",
    "mbr-coarse": "mbr $made/lists.moses --method coarse-to-fine:keep=3,coarse=bleu -m ter "
    "--check -f text",
    "mbr-pseudo-references": "mbr $made/lists.moses --pseudo-references $made/sparse.moses",
    "mbr-flat": "mbr $made/flat.txt --list-size 5",
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

# Verbs with arguments that no command can express. "$NAME" is a value that `write_inputs`
# makes. All are plain values, so that the calls outlive the classes of any version.
_QUICK: dict[str, Any] = {"replicates": 1000}
_TEXTS: dict[str, Any] = {"systems": "$texts", "references": "$references"}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "call-items": ("compare", {"systems": "$items", **_QUICK}),
    "call-items-rows": ("compare", {"systems": "$rows", **_QUICK}),
    "call-items-documents": ("compare", {"systems": "$rows", "documents": "passage", **_QUICK}),
    "call-items-groups": (
        "compare",
        {"systems": "$rows", "metrics": "scores", "by": "$kinds", **_QUICK},
    ),
    "call-items-score": ("score", {"systems": "$items", "confidence": True, **_QUICK}),
    "call-items-score-plain": ("score", {"systems": "$items"}),
    "call-items-score-groups": (
        "score",
        {"systems": "$rows", "metrics": "scores", "by": "$kinds", "confidence": True, **_QUICK},
    ),
    "call-items-segments": ("score", {"systems": "$rows", "per_segment": True}),
    "call-items-gate": ("gate", {"systems": "$two", "baseline": "a", **_QUICK}),
    "call-items-gate-margin": (
        "gate",
        {"systems": "$two", "baseline": "a", "margin": 0.1, **_QUICK},
    ),
    "call-numbers": ("compare", {"systems": "$numbers", **_QUICK}),
    "call-numbers-adaptive": ("compare", {"systems": "$numbers", "adaptive": True, **_QUICK}),
    "call-numbers-explain": ("explain", {"systems": "$numbers", "baseline": "b", **_QUICK}),
    "refused-call-missing": ("compare", {"systems": "$missing", **_QUICK}),
    "call-missing-common": (
        "compare",
        {"systems": "$missing", "metrics": "scores:missing=common", **_QUICK},
    ),
    "call-missing-omit": (
        "compare",
        {"systems": "$missing", "metrics": "scores:missing=omit", **_QUICK},
    ),
    "call-answers": ("compare", {"systems": "$answers", **_QUICK}),
    "call-answers-mean": (
        "compare",
        {"systems": "$answers", "metrics": "scores:answers=mean", **_QUICK},
    ),
    "call-answers-pass": (
        "compare",
        {"systems": "$answers", "metrics": "scores:answers=pass@2", **_QUICK},
    ),
    "refused-call-texts-of-items": (
        "compare",
        {"systems": "$items", "metrics": "chrf", **_QUICK},
    ),
    "call-texts": ("compare", {**_TEXTS, "metrics": "bleu,chrf,ter", **_QUICK}),
    "call-texts-groups": (
        "compare",
        {**_TEXTS, "metrics": "bleu,chrf", "by": "$text_kinds", **_QUICK},
    ),
    "call-texts-documents": (
        "compare",
        {**_TEXTS, "metrics": "chrf", "documents": "$text_documents", **_QUICK},
    ),
    "call-texts-runs": (
        "compare",
        {
            "systems": "$text_runs",
            "references": "$references",
            "runs": "{system}.opt{run}",
            **_QUICK,
        },
    ),
    "call-texts-explain": ("explain", {**_TEXTS, "baseline": "b", **_QUICK}),
    "call-texts-report": ("report", {**_TEXTS, "metrics": ["bleu", "chrf"], **_QUICK}),
    "call-texts-agree": (
        "agree",
        {
            **_TEXTS,
            "human": "$text_human",
            "metrics": ["sentbleu", "chrf"],
            "replicates": 200,
            "permutations": 300,
        },
    ),
    "refused-call-metric-twice": ("compare", {**_TEXTS, "metrics": "bleu,bleu", **_QUICK}),
    "call-given": (
        "compare",
        {**_TEXTS, "metrics": ["bleu", "scores:path=$made/texts-given.tsv"], **_QUICK},
    ),
    "call-given-explain": (
        "explain",
        {**_TEXTS, "baseline": "b", "metrics": "scores:path=$made/texts-given.tsv", **_QUICK},
    ),
}

# --------------------------------------------------------------------------------------------------
# Inputs made from the data.

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
    _write_scores(made / "short-given.tsv", ("UF", "P3AI"), SEGMENTS, 7)
    documents = (f"doc\t{segment // 8}" for segment in range(SEGMENTS))
    _write(made / "short-docs.tsv", ["domain\tdoc", *documents])
    _write_sets(made, texts)
    _write_items(made)
    _write_lists(made, texts["refA"])
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


def _write_sets(made: Path, texts: Mapping[str, Sequence[str]]) -> None:
    """Write parts of the texts as a panel of test sets."""
    for part in range(4):
        for name, segments in texts.items():
            file = "ref.txt" if name == "refA" else f"{name}.txt"
            _write(made / "sets" / f"set{part}" / file, segments[part::4])


def item_scores() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Make the rows of each system: of 0 and 1, of numbers, with missing ones, with answers."""
    draw = Random(5)  # noqa: S311  # no secret
    rates = {"a": 0.87, "b": 0.75, "c": 0.7}
    about = [{"id": f"q{n}", "passage": f"p{n // 4}", "kind": "xy"[n % 2]} for n in range(60)]
    return {
        "items": {
            name: [{**row, "score": int(draw.random() < rate)} for row in about]
            for name, rate in rates.items()
        },
        "numbers": {
            name: [{**row, "score": round(draw.gauss(rate, 1), 6)} for row in about]
            for name, rate in rates.items()
        },
        "missing": {
            name: [
                {**row, "score": None if draw.random() < 0.1 else round(draw.random(), 6)}
                for row in about
            ]
            for name in rates
        },
        "answers": {
            name: [
                {**row, "epoch": epoch, "score": int(draw.random() < rates[name])}
                for row in about[:30]
                for epoch in range(3)
            ]
            for name in "ab"
        },
    }


def _write_items(made: Path) -> None:
    """Write scores of items, as a file for each system; two of these folders make a panel."""
    items = item_scores()
    for folder, systems in items.items():
        for name, rows in systems.items():
            _write(made / folder / f"{name}.jsonl", map(json.dumps, rows))
            if folder in ("items", "numbers"):
                _write(made / "benchmarks" / folder / f"{name}.jsonl", map(json.dumps, rows))
    human = (f"{n}\tq{i}\t{(i * 3 + ord(n)) % 17 / 16}" for n in "abc" for i in range(60))
    _write(made / "human-items.tsv", ["system\titem\tscore", *human])
    _write_values(made, items)


def _write_values(made: Path, items: Mapping[str, Mapping[str, list[dict[str, Any]]]]) -> None:
    """Write the values that CALLS name."""
    texts = {
        "a": ["the cat sat on the mat", "a dog barks", "hello there world"] * 9,
        "b": ["a cat is on a mat", "the dog barked", "hello world"] * 9,
        "c": ["the cat sat on a mat", "a dog barked", "hello"] * 9,
    }
    numbers = {
        kind: {name: [row["score"] for row in rows] for name, rows in systems.items()}
        for kind, systems in items.items()
    }
    size = len(texts["a"])
    values = {
        **numbers,
        "answers": items["answers"],
        "rows": items["items"],
        "two": {name: numbers["items"][name] for name in "ab"},
        "kinds": {"kind": [row["kind"] for row in items["items"]["a"]]},
        "texts": texts,
        "references": ["the cat sat on the mat", "the dog barks", "hello the world"] * 9,
        "text_kinds": {"kind": list("xyz") * 9},
        "text_documents": [f"d{segment // 3}" for segment in range(size)],
        "text_runs": {
            "x.opt1": texts["a"],
            "x.opt2": texts["b"],
            "y.opt1": texts["b"],
            "y.opt2": texts["c"],
        },
        "text_human": {name: scores[:size] for name, scores in numbers["numbers"].items()},
    }
    _write(made / "values.json", [json.dumps(values)])
    _write_scores(made / "texts-given.tsv", texts, size, 3)


def _write_lists(made: Path, references: Sequence[str]) -> None:
    """Write the systems' outputs as n-best lists, in formats of several tools."""
    outputs = [_lines(made / "judged" / f"{name}.txt") for name in JUDGED]
    lists, sparse, samples, flat = [], [], [], []
    for number, (reference, *texts) in enumerate(zip(references, *outputs, strict=True)):
        candidates = []
        for rank, text in enumerate(texts):
            words = text.split()
            shared = len({*words} & {*reference.split()}) / len(words) + (number + rank) % 5 / 9
            logs = -len(text) / 7 - (number * 3 + rank) % 11
            features = f"LM0= {logs:.3f} TM0= {-len(words)} {shared:.4f}"
            lists.append(f"{number} ||| {text} ||| {features} ||| {logs:.3f}")
            found = " ".join(f"w_{word}= 1" for word in dict.fromkeys(words) if word.isalpha())
            sparse.append(f"{number} ||| {text} ||| {features} {found} ||| {logs:.3f}")
            values = {"quality": shared, "words": len(words), "logs": logs}
            candidates.append({"text": text, "logprob": logs, "count": 1 + rank % 3, **values})
        samples.append(json.dumps({"source": reference[::-1], "candidates": candidates}))
        flat += texts
    for name, lines in (("lists.moses", lists), ("sparse.moses", sparse), ("flat.txt", flat)):
        _write(made / name, lines)
    _write(made / "samples.jsonl", samples)
    _write(made / "weights.tsv", ["LM0\t0.2", "TM0_0\t-0.5", "TM0_1\t1"])


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
    """Write artificial scores: remainders, so that they differ and have ties."""
    rows = (
        f"{name}\t{number}\t{(number * (factor + position)) % 17 / 16}"
        for position, name in enumerate(systems)
        for number in range(1, segments + 1)
    )
    _write(path, ["system\tsegment\tscore", *rows])


def _chain(segment: str) -> str:
    """Make a parse in which each word depends on the next, with a label by its length."""
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
