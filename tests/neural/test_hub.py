"""Models on this machine, and the commands that fetch what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.neural.conftest import REVISION, make_snapshot, write_model
from truebleu.errors import RefusedError, SettingError
from truebleu.neural.hub import find_checkpoint, find_snapshot, hub_folder, require_model


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HF_HUB_CACHE": "/a"}, "/a"),
        ({"HF_HOME": "/b"}, "/b/hub"),
        ({"HUGGINGFACE_HUB_CACHE": "/c", "HF_HOME": "/b"}, "/c"),
        ({"XDG_CACHE_HOME": "/d"}, "/d/huggingface/hub"),
    ],
)
def test_the_folder_is_where_the_hubs_library_looks(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert hub_folder() == Path(expected)


@pytest.mark.parametrize("revision", ["", "main", REVISION, REVISION[:7]])
def test_a_revision_is_a_name_or_the_beginning_of_a_commit(hub: Path, revision: str) -> None:
    expected = hub / "models--tiny--comet" / "snapshots" / REVISION
    assert find_snapshot("tiny/comet", revision) == expected
    assert find_snapshot("tiny/comet", "fff") is None


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(
    ("model", "kind", "uses_references"),
    [
        ("comet", "regression_metric", True),
        ("qe", "referenceless_regression_metric", False),
        ("kiwi", "unified_metric", False),
        ("unite", "unified_metric", True),
        ("xcomet", "xcomet_metric", True),
    ],
)
def test_a_model_tells_its_class_and_its_texts(
    model: str, kind: str, uses_references: bool
) -> None:
    checkpoint = find_checkpoint("COMET", f"tiny/{model}")
    assert (checkpoint.kind, checkpoint.uses_references) == (kind, uses_references)
    assert (checkpoint.name, checkpoint.revision) == (f"tiny/{model}", REVISION)


def test_a_checkpoint_by_path_is_known_by_its_contents(hub: Path) -> None:
    path = hub / "models--tiny--comet" / "snapshots" / REVISION / "checkpoints" / "model.ckpt"
    checkpoint = find_checkpoint("COMET", str(path))
    # printf 'weights of comet' | sha256sum
    assert checkpoint.revision == "sha256-537fcd706a2b"
    with pytest.raises(SettingError, match="no revision with a file"):
        find_checkpoint("COMET", str(path), "main")


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(
    ("model", "revision", "command"),
    [
        ("Unbabel/wmt22-comet-da", "", "fetch it with: hf download Unbabel/wmt22-comet-da"),
        ("Unbabel/wmt22-comet-da", "abc", "hf download Unbabel/wmt22-comet-da --revision abc"),
        (
            "Unbabel/XCOMET-XL",
            "",
            r"hf download Unbabel/XCOMET-XL \(accept its licence at "
            r"https://huggingface.co/Unbabel/XCOMET-XL and log in",
        ),
        ("Unbabel/wmt22-cometkiwi-da", "", r"accept its licence at"),
        ("/models/comet", "", "no such model; expected a name such as ORG/NAME, or FILE.ckpt"),
        ("/models/comet.ckpt", "", "no such checkpoint"),
    ],
)
def test_a_missing_model_names_the_command_that_fetches_it(
    model: str, revision: str, command: str
) -> None:
    with pytest.raises(RefusedError, match=command):
        find_checkpoint("COMET", model, revision)


def test_a_missing_encoder_is_said_before_anything_starts(hub: Path) -> None:
    write_model(hub, "noenc", "class_identifier: regression_metric", encoder="xlm-roberta-large")
    expected = (
        r"tiny/noenc: its encoder: xlm-roberta-large is not on this machine, .*; fetch it with: "
        r'hf download xlm-roberta-large --include "\*.json"'
    )
    with pytest.raises(RefusedError, match=expected):
        find_checkpoint("COMET", "tiny/noenc")


def test_a_checkpoint_without_its_settings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x" / "checkpoints").mkdir(parents=True)
    path = tmp_path / "x" / "checkpoints" / "model.ckpt"
    path.write_bytes(b"")
    with pytest.raises(RefusedError, match=r"hparams.yaml: no such file, .* above model.ckpt"):
        find_checkpoint("COMET", str(path))


def test_a_model_without_its_files_is_missing(hub: Path) -> None:
    make_snapshot(hub, "org--empty")
    with pytest.raises(RefusedError, match="org/empty is not on this machine"):
        require_model("BERTScore", "org/empty")
    with pytest.raises(RefusedError, match="org/empty is not on this machine"):
        find_checkpoint("COMET", "org/empty")
