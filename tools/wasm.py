"""Keep the core in the report's page: ``make wasm`` builds it, and this puts it into the package.

Beside the module stands what it was made of: a hash of the sources, and the compiler. A test fails
where the sources have changed since.
"""

from __future__ import annotations

from hashlib import sha256
from json import dumps
from pathlib import Path
from subprocess import run

ROOT = Path(__file__).resolve().parent.parent
BUILT = "wasm32-unknown-unknown/wasm/truebleu_wasm.wasm"
MODULE = ROOT / "src" / "truebleu" / "reports" / "page" / "core.wasm"
NOTE = MODULE.with_suffix(".json")


def sources_hash() -> str:
    """Of all that the module is compiled from."""
    crates = ROOT / "crates"
    sources = [*crates.glob("core/src/**/*.rs"), *crates.glob("wasm/src/**/*.rs")]
    sources += [crates / "core" / "Cargo.toml", crates / "wasm" / "Cargo.toml"]
    sources += [ROOT / "Cargo.toml", ROOT / "Cargo.lock"]
    digest = sha256()
    for path in sorted(sources):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def keep(built: Path) -> None:
    """Put a built module into the package, with its note."""
    compiler = run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
    module = built.read_bytes()
    MODULE.write_bytes(module)
    note = {
        "sources": sources_hash(),
        "module": sha256(module).hexdigest(),
        "compiler": compiler.strip(),
    }
    NOTE.write_text(dumps(note, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    from os import environ

    keep(Path(environ.get("CARGO_TARGET_DIR", ROOT / "target")) / BUILT)
