#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what scripts/figures.py wrote: DIR/ID/plot.csv becomes DIR/ID/ID.svg and ID.png.

    scripts/plot-figures.py [--out DIR] [ID...]

Only plot.csv and the labels in figure.json are read: edit either and draw again, nothing is run.
Needs Debian's python3-matplotlib.
"""
import argparse
import csv
import json
import pathlib
import sys

try:
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot, ticker
except ImportError:
    sys.exit('plot-figures.py: matplotlib is missing: apt-get install python3-matplotlib')

TOP = pathlib.Path(__file__).resolve().parent.parent
# Distinct also without colours, by Okabe and Ito (2008).
COLOURS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000']
MARKERS = ['o', 's', '^', 'D', 'v', 'P', 'x']


def read(path):
    """@return {series: ([x], [y])} in the order of the file"""
    series = {}
    with open(path, encoding='utf-8') as file:
        for row in csv.DictReader(file):
            xs, ys = series.setdefault(row['series'], ([], []))
            xs.append(float(row['x']))
            ys.append(float(row['y']))
    return series


def in_bytes(value, _position=None):
    """A tick of an axis in bytes."""
    for unit, factor in (('GiB', 2**30), ('MiB', 2**20), ('KiB', 2**10)):
        if value >= factor:
            return f'{value / factor:g} {unit}'
    return f'{value:g} B'


def draw(folder):
    """Draw one figure. @return the PNG"""
    record = json.loads((folder / 'figure.json').read_text(encoding='utf-8'))
    plot = record['plot']
    series = read(folder / 'plot.csv')
    figure, axes = pyplot.subplots(figsize=(7.2, 4.2), layout='constrained')
    count = max(1, len(series))
    for index, (name, (xs, ys)) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        if plot.get('kind') == 'bars':
            width = 0.8 / count
            axes.bar([x - 0.4 + width * (index + 0.5) for x in xs], ys, width, label=name, color=colour)
        else:
            marker = MARKERS[index % len(MARKERS)] if len(xs) <= 40 else None
            axes.plot(xs, ys, marker=marker, markersize=4, linewidth=1.4, label=name, color=colour)
    for x in plot.get('lines', []):
        axes.axvline(x, color='#888888', linewidth=0.8, linestyle=':', zorder=0)
    axes.set_xlabel(plot.get('x', ''))
    axes.set_ylabel(plot.get('y', ''))
    if 'log_x' in plot:
        axes.set_xscale('log', base=plot['log_x'])
        if 'bytes' in plot.get('x', ''):
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(in_bytes))
        else:
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f'{value:g}'))
    if 'names' in plot:
        axes.set_xticks(range(len(plot['names'])), plot['names'])
    elif plot.get('kind') == 'bars':
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.set_ylim(bottom=plot.get('y_min'), top=plot.get('y_max'))
    axes.grid(True, axis='y', linewidth=0.4, color='#cccccc')
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
    axes.set_title(f'{record["id"]}: {record["title"]}', fontsize=9.5, loc='left', wrap=True)
    if len(series) > 1:
        axes.legend(frameon=False, fontsize=8.5)
    figure.savefig(folder / f'{record["id"]}.svg', metadata={'Date': None})
    figure.savefig(folder / f'{record["id"]}.png', dpi=150)
    pyplot.close(figure)
    return folder / f'{record["id"]}.png'


def main():
    """Draw what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('ids', nargs='*', metavar='ID', help='figures, default: all that have been run')
    parser.add_argument('--out', type=pathlib.Path, default=TOP / 'out' / 'figures')
    options = parser.parse_args()
    matplotlib.rcParams['svg.hashsalt'] = 'ns3-mrc'
    folders = [options.out / name for name in options.ids] or \
        sorted(path.parent for path in options.out.glob('*/figure.json'))
    for folder in folders:
        if not (folder / 'plot.csv').exists():
            print(f'plot-figures.py: {folder}: not run yet: scripts/figures.py {folder.name}',
                  file=sys.stderr)
            sys.exit(2)
        print(draw(folder))


if __name__ == '__main__':
    main()
