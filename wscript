# -*- Mode: python; py-indent-offset: 4; indent-tabs-mode: nil; coding: utf-8; -*-
# SPDX-License-Identifier: GPL-2.0-only
# Build file for ns-3 <= 3.35 (waf): copy or link this repository into ns-3's src or contrib.
# ns-3 >= 3.36 reads CMakeLists.txt.


def build(bld):
    bld.recurse('src/mrc')
