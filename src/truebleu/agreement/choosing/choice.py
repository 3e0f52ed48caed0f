"""The settings that were chosen, what they are worth on test data, and what else was tried."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from truebleu.exhibits import Exhibit, Field, Plot, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.agreement.results import Answer, MetricAgreement, PairTest

RESULT_VERSION = 1
# Of about the size of rounding in coefficients, which have the scale 1.
SAME = 1e-12
# Values of a setting that differ by such a factor are drawn along a logarithmic axis.
WIDE = 15


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate on development data.

    Attributes:
        text: the metric with its settings.
        value: how well it agrees with people; None where that is undefined.
        reason: why there is no value.
        varied: the setting that was varied, where it is one with numbers.
        setting: its value.
    """

    text: str
    value: float | None
    reason: str | None = None
    varied: str | None = None
    setting: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Settings chosen on development data and measured on test data.

    Attributes:
        candidates: all that was tried, in the order of the grid.
        chosen: the settings with the largest value on development; of equal ones the default, or
            else the first.
        default: what they are compared with.
        default_on_development: what that has there; None where it is undefined.
        tied: how many candidates share the largest value.
        answer: both on test data: values, intervals and the test between them.
        development: the outline of what was chosen on.
        test: the outline of what is reported on.
        split: whether both are parts of one test set.
        signatures: of the chosen and the default settings.
        settings: all else that is needed to repeat it.
        notes: about the human scores.
    """

    candidates: tuple[Tried, ...]
    chosen: str
    default: str
    default_on_development: float | None
    tied: int
    answer: Answer
    development: Mapping[str, Any]
    test: Mapping[str, Any]
    split: bool
    signatures: Mapping[str, str]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def on_development(self) -> float:
        """The chosen settings' value on development, which flatters them."""
        (value,) = (one.value for one in self.candidates if one.text == self.chosen)
        assert value is not None  # noqa: S101  # what has no value is not chosen
        return value

    @property
    def on_test(self) -> MetricAgreement:
        """The chosen settings on test data."""
        return self.answer[self.chosen]

    @property
    def default_on_test(self) -> MetricAgreement:
        """The default settings on test data; the chosen ones where those are the default."""
        return self.on_test if self.is_default else self.answer[self.default]

    @property
    def is_default(self) -> bool:
        """Whether the default settings were chosen."""
        return self.default == self.chosen

    @property
    def difference(self) -> float | None:
        """By how much the chosen settings are above the default ones on test data."""
        value, default = self.on_test.value, self.default_on_test.value
        return None if value is None or default is None else value - default

    @property
    def pair(self) -> PairTest | None:
        """The test between both; None where they are the same, or one has no value."""
        return self.answer.pairs[0] if self.answer.pairs else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``choose --format json`` prints them."""
        pair = self.pair
        return {
            "version": RESULT_VERSION,
            "question": self.answer.question.label,
            "title": self.answer.title,
            "candidates": [asdict(one) for one in self.candidates],
            "chosen": self.chosen,
            "default": self.default,
            "tied": self.tied,
            "on_development": self.on_development,
            "default_on_development": self.default_on_development,
            "on_test": asdict(self.on_test),
            "default_on_test": asdict(self.default_on_test),
            "difference": self.difference,
            "difference_test": None if pair is None else asdict(pair),
            "resampled": self.answer.resampled,
            "development": dict(self.development),
            "test": dict(self.test),
            "split": self.split,
            "signatures": dict(self.signatures),
            "settings": dict(self.settings),
            "findings": list(self.findings),
        }

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found, in sentences."""
        return (
            self._about_development(),
            self._about_test(),
            self._about_default(),
            *self._about_values(),
            *self.answer.notes,
            *self.notes,
        )

    def _about_development(self) -> str:
        told = (
            f"{self.answer.title}, on development ({_judged(self.development)}): "
            f"{self.chosen} has the largest value of {len(self.candidates)} settings, "
            f"{self.on_development:.4f}."
        )
        if self.tied > 1:
            told += (
                f" {self.tied} settings share it; of equals the default is kept, or else the first."
            )
        undefined = [one for one in self.candidates if one.value is None]
        if undefined:
            told += f" {len(undefined)} have no value, such as {undefined[0].text}: "
            told += f"{undefined[0].reason}."
        return f"{told} The best of many flatters itself; what it is worth is said by the test."

    def _about_test(self) -> str:
        found, kind = self.on_test, "the test part" if self.split else "the test set"
        where = f"On {kind} ({_judged(self.test)})"
        if found.value is None:
            return f"{where} it has no value: {'; '.join(found.notes)}."
        told = f"{where} it has {found.value:.4f}"
        if found.low is None or found.high is None:
            return f"{told} without an interval{''.join(f'; {note}' for note in found.notes)}."
        level = f"{100 * self.settings['level']:g} % interval over {self.answer.resampled}"
        return f"{told}, {found.low:.4f} to {found.high:.4f} ({level})."

    def _about_default(self) -> str:
        if self.is_default:
            return "The default settings are the chosen ones: there is nothing to compare."
        default, difference = self.default_on_test.value, self.difference
        if default is None or difference is None:
            reasons = "; ".join(self.default_on_test.notes)
            return f"The default settings, {self.default}, have no value to compare: {reasons}."
        beside = f"the default settings, {self.default}, which have {default:.4f}"
        pair = self.pair
        if pair is None or abs(difference) <= SAME:
            return f"It agrees as well as {beside}."
        sure = "significantly" if pair.significant else "not significantly"
        told = f"That is {difference:.4f} above {beside}: {sure} better (p = {pair.p:.3g})."
        if difference < 0:
            told = (
                f"That is {-difference:.4f} below {beside}: what was chosen does not carry over. "
                f"The default is {sure} better (p = {pair.p:.3g})."
            )
        if pair.smallest_p > round(1 - self.settings["level"], 12):
            told += f" No p below {pair.smallest_p:.3g} was possible."
        return told

    def _about_values(self) -> list[str]:
        """What is to be known of the values on test data, such as of ties or missing groups."""
        told: dict[str, list[str]] = {}
        for one in self.answer.metrics:
            if one.value is not None and one.low is not None:
                for note in one.notes:
                    told.setdefault(note, []).append(one.metric)
        return [f"{' and '.join(labels)}: {note}." for note, labels in told.items()]

    def exhibit(self) -> Exhibit:
        """All candidates in one table, and their values on development as a chart."""
        level = f"{100 * self.settings['level']:g} %"
        along = [one.setting for one in self.candidates if one.setting is not None]
        names = {one.varied for one in self.candidates}
        varied = names.pop() if len(names) == 1 else None
        return Exhibit(
            name="choose",
            title=f"Settings chosen by agreement with people: {self.answer.title}",
            fields=(
                Field("settings", "Settings"),
                Field("development", "On development", 4),
                Field("test", "On test", 4),
                Field("low", f"{level} from", 4),
                Field("high", "to", 4),
                Field("role", ""),
            ),
            rows=tuple(self._rows()),
            findings=self.findings,
            plot=Plot(
                mark="line" if varied else "point",
                x="setting" if varied else "settings",
                y="development",
                log_x=varied is not None and 0 < WIDE * min(along) < max(along),
            ),
            plot_rows=tuple(
                row for row in self._rows() if not varied or row["setting"] is not None
            ),
            plot_fields=(Field("setting", varied),) if varied else (),
            settings=self.settings,
        )

    def _rows(self) -> list[Row]:
        """Every candidate, then the default settings where they are none of them."""
        tried = {one.text: one for one in self.candidates}
        beside = Tried(self.default, self.default_on_development)
        rows: list[Row] = []
        for text in dict.fromkeys((*tried, self.default)):
            one = tried.get(text, beside)
            found = self.answer[text] if text in self.signatures else None
            roles = {"chosen": self.chosen, "default": self.default}
            rows.append(
                {
                    "settings": text,
                    "setting": one.setting,
                    "development": one.value,
                    "test": None if found is None else found.value,
                    "low": None if found is None else found.low,
                    "high": None if found is None else found.high,
                    "role": ", ".join(role for role, which in roles.items() if which == text),
                }
            )
        return rows


def _judged(outline: Mapping[str, Any]) -> str:
    """How much was judged of a part."""
    systems = f"{len(outline['systems'])} systems"
    if "items" not in outline:
        return systems
    return f"{systems}, {outline['items']:,} judged {outline['level']}s"
