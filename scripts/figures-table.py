#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the table of docs/experiments.md from what scripts/figures.py wrote: simulated against published.

    scripts/figures-table.py [--out DIR]
"""
import argparse
import json
import pathlib

TOP = pathlib.Path(__file__).resolve().parent.parent


def difference(result):
    """@return how far the value is from a published number, in per cent"""
    published = result.get('published')
    if not isinstance(published, (int, float)) or not published:
        return ''
    return f'{(result["is"] / published - 1) * 100:+.1f} %'


def main():
    """Print one line for each expectation."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--out', type=pathlib.Path, default=TOP / 'out' / 'figures')
    options = parser.parse_args()
    print('| figure | what | simulated | published | difference |\n|---|---|---|---|---|')
    for path in sorted(options.out.glob('*/figure.json')):
        record = json.loads(path.read_text(encoding='utf-8'))
        for index, result in enumerate(record['expect']):
            name = record['id'] if index == 0 else ''
            mark = '' if result['holds'] else ' (finding)'
            print(f'| {name} | {result["what"]}{mark} | {result["is"]:.4g} {result.get("unit", "")} | '
                  f'{result.get("published", "")} | {difference(result)} |')


if __name__ == '__main__':
    main()
