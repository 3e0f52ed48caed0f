"""Speed and memory of truebleu beside other tools, as ratios measured in one run."""
