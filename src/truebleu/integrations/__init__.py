"""truebleu inside other people's loops: training, validation and evaluation libraries.

Each module needs the library that it is named after, which is imported with the module.
"""

__all__: list[str] = []
