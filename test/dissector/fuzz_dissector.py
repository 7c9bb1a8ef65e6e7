#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Damages the golden captures by editcap -E and reads them with everything switched on.

    fuzz_dissector.py --plugin mrc.so --seeds 1-2000

Each seed damages all captures anew; the frames of a batch of seeds are read by one tshark, because
tshark takes longer to start than to read them, and because what one seed leaves behind is a trial
for the next. When a batch fails its seeds are read one by one, and those that fail are named.

Failures: another exit code than 0, a word of a sanitizer, a "Dissector bug" that names our
protocols, more than --memory MiB or --time seconds.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys

from dissector_test import STATISTICS, Tshark, sanitized
from mrc_captures import CAPTURES
from mrc_wire import Capture

STREAMS = ['-z', 'expert', '-z', 'follow,mrc,hex,0', '-z', 'follow,mrc,ascii,1']


def base_capture(tshark):
    """All captures in one; of the many that are cut short every seventh frame."""
    joined = Capture()
    at = 0
    for name, make in CAPTURES.items():
        if name == 'full-round':
            continue  # many alike
        capture = make()
        for number, (time_ns, data, interface) in enumerate(capture.frames):
            if name == 'snaplens' and number % 7:
                continue
            if number in capture.caps:
                joined.caps[len(joined.frames)] = capture.caps[number]
            joined.add(at + time_ns, data, interface)
        at += 10**9
    path = tshark.room / 'base.pcapng'
    joined.save(path)
    return path, len(joined.frames)


def damage(tshark, base, seeds):
    """A file with the frames of all seeds."""
    parts = []
    for seed in seeds:
        part = tshark.room / f'seed-{seed}.pcapng'
        subprocess.run(['editcap', '-E', '0.02', '--seed', str(seed), base, part], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        parts.append(part)
    whole = tshark.room / 'batch.pcapng'
    subprocess.run(['mergecap', '-a', '-w', whole, *parts], check=True)
    for part in parts:
        part.unlink()
    return whole


def complaint(tshark, path, options):
    """What is wrong with reading a file, None if nothing is."""
    arguments = ['-2', '-V'] + [a for a in STATISTICS if a != '-q'] + STREAMS + ['-r', str(path)]
    out_path = tshark.room / 'output'
    with open(out_path, 'wb') as out:
        child = subprocess.Popen(tshark.command(arguments), stdout=out, stderr=subprocess.PIPE)
        try:
            errors = child.communicate(timeout=options.time)[1].decode(errors='replace')
        except subprocess.TimeoutExpired:
            os.kill(child.pid, 9)
            child.communicate()
            return f'more than {options.time} s'
    if child.returncode != 0 or 'Sanitizer' in errors or 'runtime error' in errors:
        return f'exit code {child.returncode}\n{errors[:4000]}'
    found = 0
    with open(out_path, encoding='utf-8', errors='replace') as lines:
        for line in lines:
            if 'issector bug' in line and ('MRC' in line or 'SRv6' in line or 'mrc' in line):
                return line.strip()
            found += line.startswith('Multipath Reliable Connection')
    if found == 0:
        return 'no packet was seen as MRC'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--plugin', type=pathlib.Path, required=True)
    parser.add_argument('--seeds', default='1-50', help='FIRST-LAST')
    parser.add_argument('--batch', type=int, default=50, help='seeds that one tshark reads')
    parser.add_argument('--preload', help='library of the sanitizer that the plugin was built with')
    parser.add_argument('--memory', type=int, default=1024, help='MiB that tshark may take')
    parser.add_argument('--time', type=int, default=600, help='seconds that a batch may take')
    options = parser.parse_args()
    environment = sanitized(options.preload)
    if options.preload:
        environment['ASAN_OPTIONS'] += f':hard_rss_limit_mb={options.memory * 3}'
    else:
        limit = (options.memory + 512) * 1024 * 1024  # address space holds the libraries as well
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    first, last = (int(word) for word in options.seeds.split('-'))
    tshark = Tshark(options.plugin, environment)
    bad = []
    try:
        base, frames = base_capture(tshark)
        for start in range(first, last + 1, options.batch):
            seeds = range(start, min(start + options.batch, last + 1))
            what = complaint(tshark, damage(tshark, base, seeds), options)
            if what is None:
                print(f'seeds {seeds[0]}-{seeds[-1]}: {len(seeds) * frames} frames read',
                      flush=True)
                continue
            print(f'seeds {seeds[0]}-{seeds[-1]}: {what}', flush=True)
            alone = []
            for seed in seeds:
                reason = complaint(tshark, damage(tshark, base, [seed]), options)
                if reason is not None:
                    alone.append(seed)
                    print(f'  seed {seed}: {reason}', flush=True)
            bad += alone or [f'{seeds[0]}-{seeds[-1]} together']
    finally:
        tshark.close()
    if bad:
        print('failed:', *bad)
        return 1
    print(f'{last - first + 1} seeds of {frames} frames: nothing wrong')
    return 0


if __name__ == '__main__':
    sys.exit(main())
