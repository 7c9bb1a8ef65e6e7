#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the real tshark with the plugin on generated captures and compares what it prints.

    dissector_test.py --plugin build/wireshark-plugins/4.0/epan/mrc.so CASE

A CASE is the name of a file in expected/, or one of the checks at the end of this file. --list
prints all; --update writes what tshark prints into the file: look at the difference before you
keep it. Exit code 77 means that the case cannot run here.

Files in expected/: a line that begins with "# " is a comment; one that begins with "$ " is what
tshark is given beside the capture, and what follows is what it prints. "$ fields A B" stands for
-T fields with these fields, "|" between fields, "," between occurrences; frames that have none of
the fields after the first are left out.
"""

import argparse
import difflib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from mrc_captures import CAPTURES

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / 'expected'
NOBODY = 65534
UNVERIFIED, GOOD = '0', '1'  # values of mrc.icrc.status
SKIPPED = 77


class Failure(Exception):
    """What is wrong, in words."""


class Tshark:
    """tshark with our plugin and nobody's settings.

    Wireshark ignores WIRESHARK_PLUGIN_DIR when root runs it, so root becomes somebody else.
    """

    def __init__(self, plugin, environment=None):
        self.room = pathlib.Path(tempfile.mkdtemp(prefix='mrc-dissector-'))
        self.environment = environment or {}
        version = plugin.parent.parent.name
        folder = self.room / 'plugins' / version / 'epan'
        folder.mkdir(parents=True)
        shutil.copy(plugin, folder / 'mrc.so')
        (self.room / 'home').mkdir()
        self.room.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(self.room / 'home', NOBODY, NOBODY)

    def close(self):
        shutil.rmtree(self.room)

    def command(self, arguments, settings=True):
        command = []
        if os.geteuid() == 0:
            command = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups']
        command += ['env', f'HOME={self.room}/home', f'XDG_CONFIG_HOME={self.room}/home',
                    f'WIRESHARK_PLUGIN_DIR={self.room}/plugins', 'LC_ALL=C.UTF-8', 'TZ=UTC']
        command += [f'{key}={value}' for key, value in self.environment.items()]
        command.append('tshark')
        if settings:
            command += ['-n', '-o', 'udp.ignore_ipv6_zero_checksum:TRUE']
        return command + arguments

    def run(self, arguments, settings=True):
        """What tshark prints; a word on stderr or another exit code than 0 is a failure."""
        done = subprocess.run(self.command(arguments, settings), capture_output=True, text=True,
                              errors='replace', check=False)
        if done.returncode != 0 or done.stderr:
            raise Failure(f'tshark {shlex.join(arguments)}: exit code {done.returncode}\n'
                          f'{done.stderr}')
        return done.stdout

    def capture(self, name, capture=None):
        """The path of a capture, made if it is not there."""
        path = self.room / f'{name}.pcapng'
        if not path.exists():
            (capture or CAPTURES[name]()).save(path)
        return str(path)


def sanitized(preload):
    """The environment in which a tshark without sanitizers loads a plugin with them."""
    if not preload:
        return {}
    return {'LD_PRELOAD': preload, 'ASAN_OPTIONS': 'detect_leaks=0',
            'UBSAN_OPTIONS': 'print_stacktrace=1'}


def split_fields(line):
    """The options and the field names of a "$ fields" line."""
    options, names, takes_value = [], [], False
    for word in shlex.split(line)[1:]:
        if takes_value or word.startswith('-'):
            options.append(word)
            takes_value = not takes_value and word not in ('-2', '-q')
        else:
            names.append(word)
    return tuple(options), names


def expand(line):
    """The arguments of tshark that a "$ fields" line stands for."""
    options, names = split_fields(line)
    arguments = list(options) + ['-T', 'fields', '-E', 'separator=|', '-E', 'aggregator=,']
    for name in names:
        arguments += ['-e', name]
    return arguments


def clean(output):
    return [line.rstrip() for line in output.strip('\n').splitlines()]


class Questions:
    """What an expected file asks of a capture; "$ fields" lines of the same options share a run."""

    def __init__(self, tshark, capture, lines):
        self.tshark, self.capture = tshark, capture
        self.names = {}
        self.rows = {}
        for line in lines:
            if line.startswith('$ fields '):
                options, names = split_fields(line[2:])
                known = self.names.setdefault(options, [])
                known += [name for name in names if name not in known]

    def answer(self, line):
        """The lines that a "$ " line stands for."""
        if not line.startswith('fields '):
            return clean(self.tshark.run(['-r', self.capture] + shlex.split(line)))
        options, names = split_fields(line)
        known = self.names[options]
        if options not in self.rows:
            output = self.tshark.run(['-r', self.capture] + expand(shlex.join(
                ['fields', *options, *known])))
            self.rows[options] = [row.split('|') for row in output.splitlines()]
        rows = [[row[known.index(name)] for name in names] for row in self.rows[options]]
        return ['|'.join(row) for row in rows if any(row[1:])]


def golden(tshark, name, update):
    """Compare with expected/NAME.txt."""
    path = EXPECTED / f'{name}.txt'
    expected = [line.rstrip() for line in path.read_text().splitlines()]
    questions = Questions(tshark, tshark.capture(name), expected)
    found = []
    for line in expected:
        if line.startswith(('# ', '$ ')):
            found.append(line)
        if line.startswith('$ '):
            found += questions.answer(line[2:])
    if not any(line.startswith('$ ') for line in expected):
        raise Failure(f'{path} asks for nothing')
    if update:
        path.write_text('\n'.join(found) + '\n')
    elif expected != found:
        raise Failure('\n'.join(difflib.unified_diff(expected, found, str(path), 'tshark',
                                                     lineterm='')))


# ------------------------------------------------------------------ checks beside golden files

FORWARD = {
    'mrc.acked_in', 'mrc.analysis.time_to_ack', 'mrc.nacked_in', 'mrc.retransmitted_in',
    'mrc.response_in', 'mrc.message.completed_in', 'mrc.message.last_frame',
    'mrc.message.retransmissions', 'mrc.message.completion_time', 'mrc.message.goodput'}


def fields_of(tshark, capture, passes):
    """Per frame the fields of our protocols, without those that tell of later frames."""
    text = tshark.run((['-2'] if passes == 2 else []) + ['-r', capture, '-T', 'pdml'])
    frames = []
    for packet in xml.etree.ElementTree.fromstring(text).iter('packet'):
        fields = []
        for proto in packet.iter('proto'):
            if proto.get('name') in ('mrc', 'srv6'):
                fields += [(f.get('name'), f.get('show')) for f in proto.iter('field')
                           if f.get('name') and f.get('name') not in FORWARD]
        frames.append(fields)
    return frames


STATISTICS = ['-q', '-z', 'mrc,tree', '-z', 'mrc,qp', '-z', 'mrc,path', '-z', 'conv,mrc', '-z',
              'endpoints,mrc']


def check_listed(tshark):
    """tshark lists the plugin: one that fails to load is a line on stderr, and tshark goes on."""
    listed = tshark.run(['-G', 'plugins'], settings=False)
    if not any(line.startswith('mrc.so') for line in listed.splitlines()):
        raise Failure('tshark does not list the plugin mrc.so')


def check_passes(tshark):
    """-2 and one pass show the same, but for what a later frame tells."""
    for name in ('nack-chain', 'messages', 'two-places', 'outside', 'ev-states'):
        capture = tshark.capture(name)
        one, two = fields_of(tshark, capture, 1), fields_of(tshark, capture, 2)
        for number, (first, second) in enumerate(zip(one, two), 1):
            if first != second:
                raise Failure(f'{name}, frame {number}: '
                              f'{set(first) ^ set(second)} differ between the passes')
        if not any(field.startswith('mrc.analysis') for frame in one for field, _ in frame):
            raise Failure(f'{name}: nothing was compared')
    for name in ('statistics',):
        capture = tshark.capture(name)
        if tshark.run(STATISTICS + ['-r', capture]) != tshark.run(
                ['-2'] + STATISTICS + ['-r', capture]):
            raise Failure(f'{name}: statistics differ between the passes')


def check_snaplens(tshark):
    """However short a capture cuts packets, nothing is malformed and no ICRC is judged."""
    capture = tshark.capture('snaplens')
    total = len(CAPTURES['snaplens']().frames)
    lines = clean(tshark.run(['-r', capture] + expand(
        'fields frame.number frame.cap_len frame.protocols mrc.icrc.status _ws.malformed')))
    if len(lines) != total:
        raise Failure(f'{len(lines)} of {total} frames')
    seen = 0
    for line in lines:
        number, size, protocols, status, malformed = line.split('|')
        if malformed or '_ws.malformed' in protocols:
            raise Failure(f'frame {number} with {size} bytes is called malformed: {protocols}')
        is_whole_sack = int(number) % 5 == 4 and int(size) == 154
        if status not in ('', GOOD if is_whole_sack else UNVERIFIED):
            raise Failure(f'frame {number} with {size} bytes: ICRC status {status}')
        seen += ':mrc' in protocols
    if seen < total * 2 // 3:
        raise Failure(f'only {seen} of {total} frames were seen as MRC')


def check_disabled(tshark):
    """--disable-protocol mrc gives back what stock Wireshark shows."""
    for name in ('mixed', 'carriers'):
        capture = tshark.capture(name)
        ours = tshark.run(['--disable-protocol', 'mrc', '--disable-protocol', 'srv6', '-r',
                           capture, '-V'])
        plugins = tshark.environment.get('WIRESHARK_PLUGIN_DIR')
        tshark.environment['WIRESHARK_PLUGIN_DIR'] = '/nonexistent'
        stock = tshark.run(['-r', capture, '-V'])
        del tshark.environment['WIRESHARK_PLUGIN_DIR']
        if plugins:
            tshark.environment['WIRESHARK_PLUGIN_DIR'] = plugins
        if ours != stock:
            first = next(n for n, (a, b) in enumerate(zip(ours.splitlines(), stock.splitlines()))
                         if a != b)
            raise Failure(f'{name} differs from stock:\n  {ours.splitlines()[first]}\n'
                          f'  {stock.splitlines()[first]}')


def check_root(tshark, plugin):
    """Root finds the plugin in the global folder: in a mount namespace, so that no file stays."""
    if os.geteuid() != 0:
        print('needs root')
        return SKIPPED
    folder = subprocess.run(['pkg-config', '--variable=plugindir', 'wireshark'],
                            capture_output=True, text=True, check=False).stdout.strip()
    folder = pathlib.Path(folder or '/nonexistent') / 'epan'
    if not folder.is_dir() or subprocess.run(['unshare', '-m', 'true'], check=False).returncode:
        print('needs the global plugin folder and mount namespaces')
        return SKIPPED
    room = tshark.room / 'global'
    room.mkdir()
    shutil.copy(plugin, room)
    capture = tshark.capture('source-ports')
    command = (f'mount --bind {room} {folder} && tshark -G plugins | grep mrc.so && '
               f'tshark -n -r {capture} -T fields -e _ws.col.Protocol')
    done = subprocess.run(['unshare', '-m', 'sh', '-c', command], capture_output=True, text=True,
                          env={'PATH': os.environ['PATH'], 'HOME': str(tshark.room / 'home')},
                          check=False)
    protocols = done.stdout.splitlines()[1:]
    if done.returncode != 0 or protocols != ['MRC'] * 12:
        raise Failure(f'{done.stdout}{done.stderr}')
    return 0


def check_simulator(tshark, simulator):
    """Captures of mrc-sim: all MRC, all ICRCs right, every WRITE acknowledged, nothing malformed."""
    out = tshark.room / 'sim'
    subprocess.run([simulator, 'permutation', '--nics', '16', '--planes', '2', '--size', '256KiB',
                    '--fault', 'link-down p0/t0-0-t1-1@5us', '--pcap', 'nic-0:p0,nic-0:p1', '--out',
                    out, '--quiet'], check=True, stdout=subprocess.DEVNULL)
    for path in (out, out / 'capture.pcapng'):
        path.chmod(0o755)
    capture = str(out / 'capture.pcapng')
    lines = [line.split('|') for line in clean(tshark.run(['-2', '-r', capture] + expand(
        'fields frame.number _ws.col.Protocol mrc.icrc.status mrc.trimmed mrc.bth.opcode '
        'mrc.acked_in mrc.retransmitted_in mrc.analysis.outside_window _ws.malformed '
        'mrc.analysis.rtt ipv6.src')))]
    writes = acknowledged = answers = timed = 0
    for (number, protocol, status, trimmed, opcode, acked, again, outside, malformed, rtt,
         source) in lines:
        if protocol != 'MRC' or malformed or outside:
            raise Failure(f'frame {number}: {protocol} {malformed} {outside}')
        if not trimmed and status != GOOD:
            raise Failure(f'frame {number}: ICRC status {status}')
        if source.endswith('fd6d:7264::1'):  # sent by nic-0
            if opcode in ('0xc6', '0xc7', '0xc8', '0xca'):
                writes += 1
                acknowledged += bool(acked or again)
        elif opcode == '0xdc':
            answers += 1
            timed += bool(rtt)
    if writes < 64 or acknowledged != writes:
        raise Failure(f'{acknowledged} of {writes} WRITEs were acknowledged or sent again')
    if answers == 0 or timed < answers:
        raise Failure(f'{timed} of {answers} SACKs have a round trip time')


def check_counts(tshark, simulator):
    """-z mrc,qp counts what the simulator counted, in captures of all packets of a run."""
    receiver = 'nic-0:p0,nic-0:p1'
    senders = ','.join(f'nic-{nic}:p{plane}' for nic in range(1, 16) for plane in (0, 1))
    common = ['--nics', '16', '--planes', '2', '--verify', 'placement']
    incast = ['incast', '--senders', '4', '--size', '512KiB', *common]
    for name, arguments in {
            'receiver': [*incast, '--pcap', receiver],
            'senders': [*incast, '--pcap', senders],
            'both': [*incast, '--pcap', f'{receiver},{senders}'],
            'losses': ['p2p', '--qps', '16', '--messages', '32', '--size', '128KiB', *common,
                       '--pcap', receiver, '--fault', 'loss nic-0/p0@0us,rate=0.02']}.items():
        out = tshark.room / name
        done = subprocess.run([simulator, *arguments, '--json', '--quiet', '--out', out], check=True,
                              capture_output=True, text=True)
        counted = json.loads(done.stdout)['packets']
        out.chmod(0o755)
        (out / 'capture.pcapng').chmod(0o644)
        table = tshark.run(['-q', '-z', 'mrc,qp', '-r', str(out / 'capture.pcapng')])
        rows = [line.split('|') for line in table.splitlines() if '|0x' in line]
        for column, count in {2: 'data', 4: 'retransmitted', 5: 'inferred_losses', 6: 'trimmed',
                              9: 'sacks', 10: 'nacks'}.items():
            seen = sum(int(row[column]) for row in rows)
            if seen != counted[count] or counted['retransmitted'] == 0:
                raise Failure(f'{name}: {seen} {count}, {counted[count]} in the simulator')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--plugin', type=pathlib.Path)
    parser.add_argument('--simulator', help='mrc-sim, for the case "simulator"')
    parser.add_argument('--preload', help='libraries of the sanitizers that the plugin needs')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--write', metavar='FOLDER', help='only write the captures there')
    parser.add_argument('case', nargs='*')
    options = parser.parse_args()
    checks = {'listed': check_listed, 'passes': check_passes, 'snaplens': check_snaplens, 'disabled': check_disabled,
              'as-root': lambda t: SKIPPED if options.preload else check_root(t, options.plugin),
              'counts': lambda t: check_counts(t, options.simulator),
              'simulator': lambda t: check_simulator(t, options.simulator)}
    files = sorted(path.stem for path in EXPECTED.glob('*.txt'))
    if options.list:
        print('\n'.join(files + sorted(checks)))
        return 0
    if options.write:
        for name, make in CAPTURES.items():
            make().save(pathlib.Path(options.write) / f'{name}.pcapng')
        return 0
    tshark = Tshark(options.plugin, sanitized(options.preload))
    result = 0
    try:
        for case in options.case:
            try:
                if case in checks:
                    result = checks[case](tshark) or result
                else:
                    golden(tshark, case, options.update)
            except Failure as failure:
                print(f'{case}: {failure}')
                result = 1
    finally:
        tshark.close()
    return result


if __name__ == '__main__':
    sys.exit(main())
