"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import truebleu

# They import packages that are large; `make integrations` tests them where these are installed.
INTEGRATIONS = ("truebleu.integrations.evaluate", "truebleu.integrations.torchmetrics")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(truebleu.__path__, "truebleu.")
    if not module.name.endswith("__main__") and module.name not in INTEGRATIONS
]


@pytest.mark.parametrize("name", ["truebleu", *MODULES])
def test_the_examples_of_a_module_are_true(name: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in doctest.DocTestFinder().find(import_module(name)):
        # A run looks at all files that are loaded, even for a docstring without examples.
        if test.examples:
            runner.run(test)
    assert runner.failures == 0
