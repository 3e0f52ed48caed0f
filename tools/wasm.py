"""Build the core for the report's page; ``make wasm`` puts it into the package.

    python -m tools.wasm         # build it
    python -m tools.wasm dist    # check that the wheels in dist have the core of these sources

The tracked module serves clones without the WebAssembly target. It is rebuilt for releases, and
when its interface or one of its digits changes; tests check it beside one that they build.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from json import dumps, loads
from os import environ
from pathlib import Path
from subprocess import run
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
TARGET = "wasm32-unknown-unknown"
MODULE = ROOT / "src" / "truebleu" / "reports" / "page" / "core.wasm"
NOTE = MODULE.with_suffix(".json")


def has_target() -> bool:
    """Return whether Rust's libraries for the WebAssembly target are installed."""
    command = ["rustc", "--print", "target-libdir", "--target", TARGET]
    folder = run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return Path(folder.strip()).is_dir()


def build() -> Path:
    """Compile the core for the page and return the module's file.

    The module holds no path of this machine, so the same compiler makes the same module.
    """
    cargo = environ.get("CARGO_HOME", Path.home() / ".cargo")
    flags = f"--remap-path-prefix={ROOT}=. --remap-path-prefix={cargo}=cargo"
    command = ["cargo", "build", "--quiet", "--locked", "--profile", "wasm"]
    command += ["--target", TARGET, "--package", "truebleu-wasm"]
    run(command, cwd=ROOT, env={**environ, "RUSTFLAGS": flags}, check=True)
    target = Path(environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / TARGET / "wasm" / "truebleu_wasm.wasm"


def sources_hash() -> str:
    """Hash all files that the module is compiled from, whatever their line ends."""
    crates = ROOT / "crates"
    sources = [*crates.glob("core/src/**/*.rs"), *crates.glob("wasm/src/**/*.rs")]
    sources += [crates / "core" / "Cargo.toml", crates / "wasm" / "Cargo.toml"]
    sources += [ROOT / "Cargo.toml", ROOT / "Cargo.lock"]
    digest = sha256()
    for path in sorted(sources):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\n".encode())
        digest.update(path.read_text(encoding="utf-8").encode())
    return digest.hexdigest()


def keep(built: Path) -> None:
    """Put a built module into the package, with a note of its sources and its compiler."""
    compiler = run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout
    module = built.read_bytes()
    MODULE.write_bytes(module)
    note = {
        "sources": sources_hash(),
        "module": sha256(module).hexdigest(),
        "compiler": compiler.strip(),
    }
    NOTE.write_text(dumps(note, indent=2) + "\n", encoding="utf-8")


def check(wheels: Path) -> None:
    """Check that the wheels in a folder have the core of these sources; raises SystemExit."""
    for wheel in wheels.glob("*.whl"):
        with ZipFile(wheel) as files:
            note = loads(files.read(NOTE.relative_to(ROOT / "src").as_posix()))
        if note["sources"] != sources_hash():
            raise SystemExit(f"{wheel}: the page's core is of other sources; run make wasm first")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        check(Path(sys.argv[1]))
    else:
        keep(build())
