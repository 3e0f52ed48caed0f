"""The version of sacreBLEU whose behaviour this package has, as it stands in every signature."""

from truebleu._core import VERSION

__version__ = "2.6.0"
# Whether programs got this package under sacreBLEU's own name, which signatures then say.
standing_in = False


def signature_version() -> str:
    """The version for signatures."""
    return f"{__version__}+truebleu.{VERSION}" if standing_in else __version__
