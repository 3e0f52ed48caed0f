"""The commands of ``truebleu study``, one file each."""
