"""Pages are refreshed: outputs are what commands print, and what was left out stays out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.refresh_docs import elided, refreshed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """\
Say hello:

```console
$ echo hello; echo 12 > number.txt
bye
$ cat number.txt
1...
$ make nothing
```

```python
>>> print("one\\n\\nthree")
two
>>> _ + 1 if False else 2
3

```
"""


def test_a_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    assert refreshed(PAGE, tmp_path) == PAGE.replace("bye", "hello").replace(
        "two", "one\n<BLANKLINE>\nthree"
    ).replace("2\n3\n", "2\n2\n")


def test_omitted_output_stays_omitted() -> None:
    assert elided("a\n...\nz", "a\nb\nc\nz") == "a\n...\nz"
    assert elided("old\n...\nz", "new\nb\nc\ny") == "new\n...\ny"
    assert elided("p = ...\nq", "p = 0.5\nr") == "p = ...\nr"
    assert elided("{\n  ...\n}!", "{\n  1\n  2\n}") == "{\n  ...\n}"
