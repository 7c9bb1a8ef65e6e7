# SPDX-License-Identifier: GPL-2.0-only
"""scripts/figures.py as a user runs it: quick figures come out, and bad input is one line."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


def run(*words):
    """@return the finished process of figures.py"""
    return subprocess.run([sys.executable, TOP / 'scripts/figures.py', *words], capture_output=True,
                          text=True, check=False)


class FiguresTest(unittest.TestCase):
    """Each with a folder of its own."""

    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.room.name)
        self.addCleanup(self.room.cleanup)

    def own(self, text):
        """@return path of a figure of one's own"""
        path = self.out / 'own.toml'
        path.write_text(text, encoding='utf-8')
        return str(path)

    def test_quick_figures_are_reproduced(self):
        done = run('--out', str(self.out), 'p2p', 'fig9b', 'fig12')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(' reproduced '), 3, done.stdout)
        record = json.loads((self.out / 'p2p/figure.json').read_text(encoding='utf-8'))
        self.assertTrue(record['reproduced'])
        self.assertTrue(all('build/bin/mrc-sim p2p' in run['command'] for run in record['runs']))
        with open(self.out / 'p2p/plot.csv', encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row['series'] for row in rows}, {'one T0', 'across a T1'})
        self.assertEqual(len(rows), 16)

    def test_every_figure_can_be_read(self):
        done = run('--list')
        self.assertEqual(done.returncode, 0, done.stderr)
        files = list((TOP / 'examples/figures').glob('*.toml'))
        self.assertEqual(len(done.stdout.splitlines()), len(files))

    def test_what_differs_is_told(self):
        path = self.own('''
title = "t"
published = "p"
[[run]]
name = "a"
args = "p2p --nics 4 --nics-per-t0 2 --planes 1 --size 2"
[[expect]]
what = "more than there is"
value = "a.goodput_gbps"
least = 1000
''')
        done = run('--out', str(self.out), path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('DIFFERS', done.stdout)
        self.assertIn('! more than there is', done.stdout)

    def test_bad_input_is_one_line(self):
        head = 'title = "t"\npublished = "p"\n'
        one = '[[run]]\nname = "a"\nargs = "p2p --nics 4 --nics-per-t0 2 --planes 1 --size 2"\n'
        expect = '[[expect]]\nwhat = "w"\nvalue = "{}"\nleast = 1\n'
        for words, expected in (
                (['fig0'], 'fig0: no such figure'),
                ([self.own('title = \n')], 'own.toml'),
                (['--jobs', '0', 'p2p'], '--jobs 0: at least 1')):
            done = run('--out', str(self.out), *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
        for text, expected in (
                (head + one, 'expect is missing'),
                (head + one + 'colour = 3\n' + expect.format('1'), 'unknown key colour in run'),
                (head + one + expect.format('a.colour'), 'there is no colour'),
                (head + one + expect.format('__import__'), 'is not defined'),
                (head + one + expect.format('a.__class__'), 'may only compute with runs'),
                (head + one.replace('--size 2', '--size x') + expect.format('1'), "'x' should be bytes")):
            done = run('--out', str(self.out), self.own(text))
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stderr.count('\n'), 1, done.stderr)


if __name__ == '__main__':
    unittest.main()
