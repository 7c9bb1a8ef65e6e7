#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the experiments of examples/figures and hold them against what was published.

    scripts/figures.py [--out DIR] [--jobs N] [--list] [ID|FILE.toml...]

Each ID.toml (or a file of your own) names runs of mrc-sim, the numbers that are expected of them, and the series of its plot.
For each figure DIR/ID gets the runs' own folders, plot.csv (all that the plot shows), figure.json
(parameters, expectations, values, verdict). A figure that does not come out may hold a `finding`, which says
why: it is told, and is no failure. scripts/plot-figures.py draws plot.csv.

Exit code: 0 all reproduced, 1 something differs or failed, 2 bad input.
"""
import argparse
import ast
import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time
import tomllib

TOP = pathlib.Path(__file__).resolve().parent.parent
FIGURES = TOP / 'examples' / 'figures'
MRC_SIM = pathlib.Path(os.environ.get('MRC_SIM', TOP / 'build/bin/mrc-sim'))

KEYS = {
    'figure': {'title', 'published', 'scale', 'order', 'finding', 'run', 'expect', 'series', 'plot'},
    'run': {'name', 'args', 'sweep', 'repeat'},
    'expect': {'what', 'value', 'least', 'most', 'unit', 'published', 'note'},
    'series': {'name', 'run', 'kind', 'x', 'y', 'bin_us', 'scale'},
    'plot': {'x', 'y', 'kind', 'log_x', 'lines', 'names', 'y_min', 'y_max'},
}
SERIES_KINDS = ('throughput', 'flows', 'cdf', 'points')


class BadInput(Exception):
    """One line for the user."""


class Record:
    """A JSON object whose members are attributes."""

    def __init__(self, members):
        self._members = members

    def __getattr__(self, name):
        try:
            return wrap(self._members[name])
        except KeyError:
            raise AttributeError(f'there is no {name}: {", ".join(self._members)}') from None


def wrap(value):
    """Let expressions walk through JSON."""
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [wrap(item) for item in value]
    return value


class Run(Record):
    """One run of mrc-sim: result.json as attributes, and what follows from messages.csv."""

    def __init__(self, name, args, folder, swept):
        super().__init__({})
        self.name = name
        self.args = args
        self.folder = folder
        self.swept = swept  # option: value, for sweeps
        self._rows = None

    def execute(self):
        """Run it. @return seconds of wall time"""
        self.folder.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        # A run that does not complete is a result too: expectations say what is right.
        done = subprocess.run([MRC_SIM, *shlex.split(self.args), '--out', self.folder,
                               '--quiet', '--json', '--no-timing'],
                              capture_output=True, text=True, cwd=TOP, check=False)
        if done.returncode not in (0, 1):
            raise BadInput(f'{self.name}: mrc-sim {self.args}: {done.stderr.strip()}')
        self._members = json.loads(done.stdout)
        return time.monotonic() - start

    def rows(self):
        """Rows of messages.csv that completed, as dicts of numbers."""
        if self._rows is None:
            with open(self.folder / 'messages.csv', encoding='utf-8') as file:
                self._rows = [
                    {'flow': (row['source'], row['destination']), 'bytes': int(row['bytes']),
                     'posted': float(row['posted_us']), 'done': float(row['completed_us']),
                     'fct': float(row['fct_us'])}
                    for row in csv.DictReader(file) if row['fct_us']]
        return self._rows

    def flows(self):
        """Goodput of each pair of source and destination, Gb/s: bytes over first post to last end."""
        spans = {}
        for row in self.rows():
            span = spans.setdefault(row['flow'], [0, row['posted'], 0])
            span[0] += row['bytes']
            span[1] = min(span[1], row['posted'])
            span[2] = max(span[2], row['done'])
        return {flow: size * 8e-3 / (end - begin) for flow, (size, begin, end) in spans.items()}

    @property
    def flow_gbps(self):
        """Goodputs of all flows, Gb/s, in the order of their first message."""
        return list(self.flows().values())

    def flow(self, source, destination):
        """Goodput of one flow, Gb/s."""
        return self.flows()[(f'nic-{source}', f'nic-{destination}')]

    @property
    def fcts(self):
        """Completion times of all messages, us."""
        return [row['fct'] for row in self.rows()]

    def gbps(self, begin_us, end_us):
        """Goodput of all messages that completed in a window, Gb/s."""
        size = sum(row['bytes'] for row in self.rows() if begin_us <= row['done'] < end_us)
        return size * 8e-3 / (end_us - begin_us)

    def bins(self, bin_us):
        """Goodput over time: (start of the interval in us, Gb/s), without the last, partial one."""
        sizes = {}
        for row in self.rows():
            index = int(row['done'] // bin_us)
            sizes[index] = sizes.get(index, 0) + row['bytes']
        return [(index * bin_us, sizes.get(index, 0) * 8e-3 / bin_us)
                for index in range(max(sizes, default=0))]

    def trough(self, begin_us, end_us, bin_us):
        """The least goodput of an interval inside a window, Gb/s."""
        return min(gbps for at, gbps in self.bins(bin_us) if begin_us <= at and at + bin_us <= end_us)

    def gap(self, begin_us, end_us):
        """The longest time without any completion inside a window, us."""
        times = sorted(row['done'] for row in self.rows() if begin_us <= row['done'] < end_us)
        points = [begin_us, *times, end_us]
        return max(b - a for a, b in zip(points, points[1:]))


FUNCTIONS = {'min': min, 'max': max, 'sum': sum, 'len': len, 'abs': abs, 'mean': statistics.mean,
             'median': statistics.median, 'sorted': sorted, 'all': all, 'any': any}
ALLOWED = (ast.Expression, ast.Call, ast.Name, ast.Load, ast.Attribute, ast.Constant, ast.BinOp,
           ast.UnaryOp, ast.operator, ast.unaryop, ast.Subscript, ast.Slice, ast.List, ast.ListComp,
           ast.comprehension, ast.Store, ast.Compare, ast.cmpop, ast.IfExp)


def evaluate(expression, names, where):
    """An arithmetic expression over runs. @param where for messages"""
    try:
        tree = ast.parse(str(expression), mode='eval')
    except SyntaxError as error:
        raise BadInput(f'{where}: {expression!r} is no expression: {error.msg}') from None
    for node in ast.walk(tree):
        if not isinstance(node, ALLOWED) or (isinstance(node, ast.Attribute) and node.attr[0] == '_'):
            raise BadInput(f'{where}: {expression!r} may only compute with runs')
    try:
        scope = {'__builtins__': {}, **FUNCTIONS, **names}
        return eval(compile(tree, where, 'eval'), scope)  # only what ALLOWED lets through
    except (NameError, AttributeError, TypeError, ValueError, IndexError, KeyError,
            ZeroDivisionError) as error:
        raise BadInput(f'{where}: {expression!r}: {error}') from None


def number(text):
    """A swept value as a number: "4MiB", "0.01", "16"."""
    for unit, factor in (('KiB', 2**10), ('MiB', 2**20), ('GiB', 2**30), ('us', 1), ('Gbps', 1)):
        if str(text).endswith(unit):
            return float(str(text)[:-len(unit)]) * factor
    return float(text)


def check_keys(table, kind, where):
    """Refuse what nobody reads."""
    unknown = set(table) - KEYS[kind]
    if unknown:
        raise BadInput(f'{where}: unknown key {sorted(unknown)[0]} in {kind}: '
                       f'{", ".join(sorted(KEYS[kind]))}')


class Figure:
    """One TOML file and what became of it."""

    def __init__(self, path, out):
        self.id = path.stem
        self.path = path
        self.folder = out / self.id
        try:
            self.spec = tomllib.loads(path.read_text(encoding='utf-8'))
        except tomllib.TOMLDecodeError as error:
            raise BadInput(f'{path}: {error}') from None
        check_keys(self.spec, 'figure', path)
        for kind in ('run', 'expect', 'series'):
            for table in self.spec.get(kind, []):
                check_keys(table, kind, path)
        check_keys(self.spec.get('plot', {}), 'plot', path)
        for key in ('title', 'published', 'run', 'expect'):
            if key not in self.spec:
                raise BadInput(f'{path}: {key} is missing')
        self.runs = {}
        for table in self.spec['run']:
            self.runs[table['name']] = self.expand(table)
        self.seconds = 0.0

    def expand(self, table):
        """@return the runs of a table: one, or a list for a sweep"""
        name, args = table['name'], ' '.join(table['args'].split())
        for repeat in table.get('repeat', []):
            args += self.repeated(repeat)
        if 'sweep' not in table:
            return Run(name, args, self.folder / name, {})
        options = table['sweep']
        runs = []
        for values in itertools.product(*options.values()):
            swept = dict(zip(options, values))
            extra = ''.join(f' --{option} {value}' for option, value in swept.items() if value != '')
            label = '-'.join(str(value) for value in values).replace('/', '_')
            runs.append(Run(name, args + extra, self.folder / f'{name}-{label}', swept))
        return runs

    def repeated(self, table):
        """@return an option many times: its text for all values of the ranges [first, last, step]"""
        ranges = {key: range(value[0], value[1] + 1, *value[2:]) for key, value in table.items()
                  if key not in ('option', 'text')}
        text = ''
        for values in itertools.product(*ranges.values()):
            scope = dict(zip(ranges, values))
            words = []
            for index, part in enumerate(table['text'].replace('}', '{').split('{')):
                words.append(part if index % 2 == 0 else
                             str(evaluate(part, scope, f'{self.path}: repeat')))
            text += f' --{table["option"]} ' + shlex.quote(''.join(words))
        return text

    def all_runs(self):
        """Every run once."""
        for run in self.runs.values():
            yield from run if isinstance(run, list) else [run]

    def points(self):
        """Rows of plot.csv: series, x, y."""
        for table in self.spec.get('series', []):
            where = f'{self.path}: series {table["name"]}'
            run = [self.runs[name] for name in table['run']] if isinstance(table['run'], list) \
                else self.runs.get(table['run'])
            kind = table.get('kind', 'points')
            if run is None or kind not in SERIES_KINDS:
                raise BadInput(f'{where}: no run {table["run"]}, or kind is none of '
                               f'{", ".join(SERIES_KINDS)}')
            scale = table.get('scale', 1)
            if kind == 'points':
                for index, one in enumerate(run if isinstance(run, list) else [run]):
                    x = table['x'][index] if isinstance(table['x'], list) else \
                        number(one.swept[table['x']]) if table['x'] in one.swept else \
                        evaluate(table['x'], {'run': one}, where)
                    yield table['name'], x * scale, evaluate(table['y'], {'run': one}, where)
            elif kind == 'throughput':
                for at, gbps in run.bins(table['bin_us']):
                    yield table['name'], at * scale, gbps
            elif kind == 'flows':
                for index, gbps in enumerate(run.flow_gbps):
                    yield table['name'], index, gbps
            else:
                ordered = sorted(run.fcts)
                for index, fct in enumerate(ordered):
                    yield table['name'], fct * scale, (index + 1) / len(ordered)

    def finish(self):
        """Judge, write, tell. @return whether all is as expected, or known to differ"""
        results = []
        for table in self.spec['expect']:
            where = f'{self.path}: {table.get("what", "expect")}'
            value = evaluate(table['value'], self.runs, where)
            least = evaluate(table['least'], self.runs, where) if 'least' in table else None
            most = evaluate(table['most'], self.runs, where) if 'most' in table else None
            if least is None and most is None:
                raise BadInput(f'{where}: needs least or most')
            holds = (least is None or value >= least) and (most is None or value <= most)
            results.append({**table, 'is': value, 'least': least, 'most': most, 'holds': holds})
        reproduced = all(result['holds'] for result in results)
        with open(self.folder / 'plot.csv', 'w', encoding='utf-8', newline='') as file:
            rows = csv.writer(file, lineterminator='\n')
            rows.writerow(['series', 'x', 'y'])
            for series, x, y in self.points():
                rows.writerow([series, f'{x:.9g}', f'{y:.6g}'])
        record = {'id': self.id, 'title': self.spec['title'], 'published': self.spec['published'],
                  'scale': self.spec.get('scale', 'not scaled'), 'reproduced': reproduced,
                  'finding': self.spec.get('finding'),
                  'expect': results, 'plot': self.spec.get('plot', {}),
                  'runs': [{'name': run.name, 'command': f'build/bin/mrc-sim {run.args}'}
                           for run in self.all_runs()]}
        (self.folder / 'figure.json').write_text(json.dumps(record, indent=1) + '\n', encoding='utf-8')
        finding = None if reproduced else self.spec.get('finding')
        verdict = 'reproduced' if reproduced else 'finding' if finding else 'DIFFERS'
        print(f'{self.id:10} {verdict:10} {self.spec["title"]}  ({self.seconds:.0f} s)')
        for result in results:
            bounds = ' and '.join(f'{word} {bound:.6g}' for word, bound in
                                  (('at least', result['least']), ('at most', result['most']))
                                  if bound is not None)
            mark = ' ' if result['holds'] else '!'
            print(f'  {mark} {result["what"]}: {result["is"]:.6g} {result.get("unit", "")}'
                  f' ({bounds}{"; published " + str(result["published"]) if "published" in result else ""})')
        if finding:
            print(f'    {finding}')
        sys.stdout.flush()
        return verdict != 'DIFFERS'


def main():
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('ids', nargs='*', metavar='ID', help='figures, default: all')
    parser.add_argument('--out', type=pathlib.Path, default=TOP / 'out' / 'figures')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='runs at a time')
    parser.add_argument('--list', action='store_true', help='name the figures and end')
    options = parser.parse_args()
    known = sorted(FIGURES.glob('*.toml'))
    names = {path.stem: path for path in known}
    for wanted in options.ids:
        if wanted.endswith('.toml') and pathlib.Path(wanted).is_file():
            names[wanted] = pathlib.Path(wanted)
        elif wanted not in names:
            raise BadInput(f'{wanted}: no such figure: {", ".join(names)}')
    figures = [Figure(names[name], options.out.resolve()) for name in (options.ids or names)]
    if options.jobs < 1:
        raise BadInput(f'--jobs {options.jobs}: at least 1')
    figures.sort(key=lambda figure: (figure.spec.get('order', 99), figure.id))
    if options.list:
        for figure in figures:
            print(f'{figure.id:10} {figure.spec["title"]}')
        return 0
    if not MRC_SIM.exists():
        raise BadInput(f'{MRC_SIM} is not built: run scripts/build.sh release mrc-sim')
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = {}
        for figure in figures:
            pending[figure.id] = [pool.submit(run.execute) for run in figure.all_runs()]
        for figure in figures:
            figure.seconds = sum(future.result() for future in pending[figure.id])
            failed |= not figure.finish()
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except BadInput as error:
        print(f'figures.py: {error}', file=sys.stderr)
        sys.exit(2)
