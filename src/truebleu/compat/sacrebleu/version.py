"""The version of sacreBLEU whose behaviour this package has, as it stands in every signature."""

__version__ = "2.6.0"
