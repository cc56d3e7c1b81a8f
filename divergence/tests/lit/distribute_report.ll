; --report: says what would be done, changes nothing.
; RUN: %{div} -divergence-report -passes='branch-distribute' %S/distribute.ll 2>&1 | FileCheck %s
; CHECK: branch-distribute: would distribute (3 of 4 and 4 instructions in common
; CHECK: br i1 %way, label %first, label %second
