"""Choices of the WMT metrics tasks that the files of their evaluation sets do not hold.

For a set such as wmt23 and a language pair: the standard reference, the standard human scores of
systems and segments, outlier systems, and whether human translations count as systems.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# Year and part of a set, in the name of its folder: wmt23, wmt21.news, wmt23-eval-set.
_SET = re.compile(r"wmt(\d\d)(?:\.(news|tedtalks|flores))?(?!\d)")


@dataclass(frozen=True, slots=True)
class Standard:
    """Standard choices of a task for one language pair.

    Attributes:
        reference: name of the standard reference, or None if it is not known.
        systems: name of the human scores of systems, or None.
        segments: name of the human scores of segments, or None.
        outliers: systems that the task leaves out.
        has_humans: True if human translations other than the reference are systems.
    """

    reference: str | None = None
    systems: str | None = None
    segments: str | None = None
    outliers: tuple[str, ...] = ()
    has_humans: bool = False

    def scored_by(self, name: str) -> Standard:
        """Return the standard with the human scores `name` for systems and segments."""
        return replace(self, systems=name, segments=name)


_MQM = Standard("refA", "mqm", "mqm")
_Z = Standard("refA", "wmt-z", "wmt-raw")
# References by set and language pair that are not the set's first, and pairs with MQM scores.
_REFERENCES = {
    "wmt21.news": {"en-de": "refC", "zh-en": "refB"},
    "wmt21.tedtalks": {"zh-en": "refB"},
    "wmt22": {"cs-en": "refB", "en-cs": "refB"},
    "wmt23": {"he-en": "refB", "en-he": "refB"},
    "wmt24": {"en-de": "refB"},
}
_MQM_PAIRS = {
    "wmt21.news": ("en-de", "en-ru", "zh-en"),
    "wmt21.tedtalks": ("en-de", "en-ru", "zh-en"),
    "wmt22": ("en-de", "en-ru", "zh-en"),
    "wmt23": ("en-de", "he-en", "zh-en"),
    "wmt24": ("en-de", "en-es", "ja-zh"),
    "wmt25": ("en-ko_KR", "ja-zh_CN"),
}
# Human scores of the other pairs.
_SCORES = {"wmt22": "wmt-appraise", "wmt23": "da-sqm", "wmt24": "esa", "wmt25": "esa-human1"}
_DIRECT = {"wmt22": ("cs-en", "de-en", "ja-en", "ru-en", "uk-en")}
_UNSCORED = {
    "wmt22": ("de-fr", "fr-de", "ru-sah"),
    "wmt23": ("en-he", "en-ru", "en-uk", "ru-en", "uk-en"),
}
_HUMANS = {"wmt23": ("he-en", "en-he"), "wmt24": ("en-de",)}
_OUTLIERS = {
    "wmt20": {
        "cs-en": "zlabs-nlp.1149 CUNI-DocTransformer.1457",
        "de-en": "yolo.1052 zlabs-nlp.1153 WMTBiomedBaseline.387",
        "en-cs": "zlabs-nlp.1151 Online-G.1555",
        "en-de": "zlabs-nlp.179 WMTBiomedBaseline.388 Online-G.1556",
        "en-iu": "UEDIN.1281 OPPO.722 UQAM_TanLe.521",
        "en-ja": "Online-G.1557 SJTU-NICT.370",
        "en-pl": "Online-Z.1634 zlabs-nlp.180 Online-A.1576",
        "en-ta": "TALP_UPC.1049 SJTU-NICT.386 Online-G.1561",
        "iu-en": "NiuTrans.1206 Facebook_AI.729",
        "ja-en": "Online-G.1564 zlabs-nlp.66 Online-Z.1640",
        "pl-en": "zlabs-nlp.1162",
        "ru-en": "zlabs-nlp.1164",
        "ta-en": "Online-G.1568 TALP_UPC.192",
        "zh-en": "WMTBiomedBaseline.183",
    },
    "wmt22": {"en-de": "M2M100_1.2B-B4"},
    "wmt23": {"en-de": "synthetic_ref", "zh-en": "synthetic_ref"},
    "wmt24": {"en-de": "MSLC", "en-es": "MSLC", "ja-zh": "MSLC"},
}


def set_name(folder: str) -> str | None:
    """Return the name of the task's set in the name of its folder, or None.

    >>> set_name("wmt23-eval-set"), set_name("wmt21.news"), set_name("mine")
    ('wmt23', 'wmt21.news', None)
    """
    match = _SET.search(folder.lower())
    if match is None or not 19 <= int(match[1]) <= 25 or (match[1] == "21") != bool(match[2]):
        return None
    return match[0]


def standard_of(name: str | None, lp: str) -> Standard | None:
    """Return the standard choices for a language pair of a set; None for an unknown set.

    >>> standard_of("wmt23", "he-en").reference
    'refB'
    """
    if name is None:
        return None
    standard = _MQM if lp in _MQM_PAIRS.get(name, ()) else _Z
    if name in ("wmt19", "wmt20"):
        standard = replace(_Z, reference="ref")
    elif name in _SCORES and standard is _Z:
        standard = _Z.scored_by("wmt" if lp in _DIRECT.get(name, ()) else _SCORES[name])
    if lp in _UNSCORED.get(name, ()):
        standard = replace(standard, systems=None, segments=None)
    if name == "wmt25":
        standard = replace(standard, reference=None)
    return replace(
        standard,
        reference=_REFERENCES.get(name, {}).get(lp, standard.reference),
        outliers=tuple(_OUTLIERS.get(name, {}).get(lp, "").split()),
        has_humans=lp in _HUMANS.get(name, ()),
    )
