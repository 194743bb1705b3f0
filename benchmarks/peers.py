"""What another tool finds in a set of `pearl bench --task er`, without labels or settings made for the set.

    python3 benchmarks/peers.py goldenmatch|splink FOLDER THRESHOLD

Prints one line of JSON: the tool's version, pairs of rows from 0, and the seconds of matching without imports. The tools do not
see a column called `id`. GoldenMatch is its zero-config call, at its own threshold. Splink has one model for all tables: every
column that both tables have by Jaro-Winkler similarity at 0.92 and 0.8 with term frequencies, u from random pairs, m by EM from
all pairs of up to 5,000,000, else from pairs that agree in one column after the other, and all these pairs are scored. Rows of
one table are clusters of pairs at the threshold.
"""

import csv
import json
import os
import sys
import tempfile
import time
from collections import Counter

MOST_PAIRS = 5_000_000
# Columns in which more pairs agree do not block.
MOST_BLOCKED = 20_000_000
# EM sessions, each on the pairs that agree in a column, that of the fewest such pairs first.
SESSIONS = 4


def read(path):
    """Header and rows of a table, without the column id; empty cells are None."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *rows = csv.reader(file)
    kept = [place for place, name in enumerate(header) if name.lower() != "id"]
    return [header[place] for place in kept], [
        [row[place].strip() or None for place in kept] for row in rows
    ]


def tables_of(folder):
    names = ["left.csv", "right.csv"]
    if not os.path.exists(os.path.join(folder, names[0])):
        names = ["table.csv"]
    return [read(os.path.join(folder, name)) for name in names]


def pairs_inside(groups):
    """All pairs of rows within groups, the smaller row first."""
    for rows in map(sorted, groups):
        for place, a in enumerate(rows):
            for b in rows[place + 1 :]:
                yield [a, b]


def goldenmatch(tables, _threshold):
    import goldenmatch as tool

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for place, (header, rows) in enumerate(tables):
            paths.append(os.path.join(folder, f"table{place}.csv"))
            with open(paths[-1], "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([header, *rows])
        if len(paths) == 1:
            clusters = tool.dedupe(paths[0]).clusters.values()
            pairs = list(pairs_inside(cluster["members"] for cluster in clusters))
        else:
            # Rows of the target are numbered first, then those of the reference.
            left, right = paths
            found = tool.match(right, left).matched
            offset = len(tables[1][1])
            columns = {} if found is None else found.to_pydict()
            targets, references = (columns.get(f"__{side}_row_id__", []) for side in ("target", "ref"))
            pairs = [[reference - offset, target] for target, reference in zip(targets, references)]
    return tool.__version__, pairs, time.perf_counter() - started


def agreeing(columns):
    """Pairs of rows with equal values, of two columns or within one."""
    counts = [Counter(value for value in column if value is not None) for column in columns]
    if len(counts) == 1:
        return sum(count * (count - 1) // 2 for count in counts[0].values())
    return sum(count * counts[1][value] for value, count in counts[0].items())


def splink(tables, threshold):
    import pyarrow
    import splink.comparison_library as library
    from splink import Linker, SettingsCreator, __version__, block_on
    from splink.backends.duckdb import DuckDBAPI

    started = time.perf_counter()
    shared = [name for name in tables[0][0] if all(name in header for header, _ in tables)]
    # Names of columns become SQL: plain ones are safe.
    plain = {name: f"c{place}" for place, name in enumerate(shared)}
    cells = [
        {plain[name]: [row[header.index(name)] for row in rows] for name in shared} for header, rows in tables
    ]
    sizes = [len(rows) for _, rows in tables]
    named = [n for n in plain.values() if all(len({*table[n]} - {None}) > 1 for table in cells)]
    agree = {name: agreeing([table[name] for table in cells]) for name in named}
    blocking = sorted((n for n in named if 0 < agree[n] <= MOST_BLOCKED), key=lambda n: agree[n])
    all_pairs = sizes[0] * sizes[-1] if len(sizes) == 2 else sizes[0] * (sizes[0] - 1) // 2
    is_small = all_pairs <= MOST_PAIRS
    api = DuckDBAPI()
    registered = [
        api.register(
            pyarrow.table({"unique_id": list(range(size)), **table}), dataset_display_name=name
        )
        for name, size, table in zip(["a_left", "b_right"], sizes, cells)
    ]
    compared = [library.JaroWinklerAtThresholds(name, [0.92, 0.8]) for name in named]
    linker = Linker(
        registered,
        SettingsCreator(
            link_type="link_only" if len(sizes) == 2 else "dedupe_only",
            comparisons=[one.configure(term_frequency_adjustments=True) for one in compared],
            blocking_rules_to_generate_predictions=["1=1"] if is_small else [block_on(n) for n in blocking],
            # As if each row of the smaller table had one partner.
            probability_two_random_records_match=1 / max(sizes),
        ),
    )
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in ["1=1"] if is_small else [block_on(name) for name in blocking[:SESSIONS]]:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    predicted = linker.inference.predict(threshold_match_probability=threshold)
    if len(sizes) == 1:
        clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(predicted, threshold)
        groups = {}
        for row in clusters.as_record_list():
            groups.setdefault(row["cluster_id"], []).append(row["unique_id"])
        pairs = list(pairs_inside(groups.values()))
    else:
        pairs = [[row["unique_id_l"], row["unique_id_r"]] for row in predicted.as_record_list()]
    return __version__, pairs, time.perf_counter() - started


def main():
    name, folder, threshold = sys.argv[1:]
    # The tools print as they work.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    tool = {"goldenmatch": goldenmatch, "splink": splink}[name]
    version, pairs, seconds = tool(tables_of(folder), float(threshold))
    json.dump({"version": version, "pairs": pairs, "seconds": seconds}, answers)
    answers.close()


main()
