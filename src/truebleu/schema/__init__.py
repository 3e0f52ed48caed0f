"""Declarations: a setting and a field of a result are each described once.

A **setting** is an option of a verb, declared by a key of a TypedDict. Its annotation is its type
with limits, its line under ``Attributes:`` its help::

    class CompareOptions(ResamplingOptions, total=False):
        '''Options of `compare`.

Attributes:
            test: the test of significance.
        '''

        test: Annotated[str | None, Setting(choices=TESTS)]

    @takes(CompareSettings)
    def compare(systems, **options: Unpack[CompareOptions]):
        '''Which differences between systems are real?'''

From the declaration come the check of arguments, the option of the command
(`truebleu.cli._command`), its place in ``--help``, the reference, and the `Settings` that a result
keeps. Settings of several verbs (`Level`, `Seed`) are declared in `truebleu.schema.shared`, with
their help.

A **field of a result** has a `Column` with its heading, digits, sign and unit. Tables, TSV and data
frames use it, see `columns_of`.
"""

from __future__ import annotations

from truebleu.schema._lazy import lazy_package as lazy_package
from truebleu.schema.checks import (
    BYTES_PER_REPLICATE as BYTES_PER_REPLICATE,
    memory as memory,
    require_alpha as require_alpha,
    require_level as require_level,
    require_memory_for as require_memory_for,
    require_name as require_name,
    require_path as require_path,
    require_replicates as require_replicates,
    require_seed as require_seed,
    require_type as require_type,
    require_whole_number as require_whole_number,
)
from truebleu.schema.columns import (
    NO_VALUE as NO_VALUE,
    P_VALUES as P_VALUES,
    Column as Column,
    Value as Value,
    bracketed as bracketed,
    columns_of as columns_of,
    row_of as row_of,
)
from truebleu.schema.declare import (
    GROUPS as GROUPS,
    LARGEST as LARGEST,
    MOST as MOST,
    Group as Group,
    Parameter as Parameter,
    Setting as Setting,
    is_of as is_of,
    read_type as read_type,
    type_hints as type_hints,
)
from truebleu.schema.docstrings import argument_lines as argument_lines
from truebleu.schema.options import (
    Settings as Settings,
    check_fields as check_fields,
    declared_by as declared_by,
    fields_of as fields_of,
    is_verb as is_verb,
    resolve as resolve,
    takes as takes,
)
from truebleu.schema.shared import (
    ALTERNATIVES as ALTERNATIVES,
    DEFAULT_LEVEL as DEFAULT_LEVEL,
    DEFAULT_REPLICATES as DEFAULT_REPLICATES,
    DEFAULT_SEED as DEFAULT_SEED,
    INTERVALS as INTERVALS,
    PUBLISHED_CURVES as PUBLISHED_CURVES,
    UNITS as UNITS,
    About as About,
    Alternative as Alternative,
    Baseline as Baseline,
    IntervalName as IntervalName,
    IntervalOptions as IntervalOptions,
    Level as Level,
    People as People,
    Replicates as Replicates,
    ResamplingOptions as ResamplingOptions,
    RunSwaps as RunSwaps,
    Seed as Seed,
    Tested as Tested,
    TextUnit as TextUnit,
    TextUnitChoice as TextUnitChoice,
    Unit as Unit,
    UnitChoice as UnitChoice,
)
from truebleu.schema.streams import Draw as Draw, Streams as Streams
from truebleu.schema.values import ComparedByValue as ComparedByValue, to_builtins as to_builtins
