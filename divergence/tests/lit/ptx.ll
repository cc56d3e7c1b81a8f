; What the back end makes of it: common code stands once, the gate and the latch have one vote each.
; RUN: %{div} -passes='function(branch-distribute,instcombine<no-verify-fixpoint>,gvn,adce)' %S/distribute_guard.ll 2>/dev/null | llc -O3 -mcpu=sm_90 -mattr=+ptx83 -disable-early-taildup | FileCheck --check-prefix=SIDES %s
; RUN: %{div} -passes='function(loop-simplify,iteration-delay<force;steps=3>,instcombine<no-verify-fixpoint>,gvn,adce)' %S/delay.ll 2>/dev/null | llc -O3 -mcpu=sm_90 -mattr=+ptx83 -disable-early-taildup | FileCheck --check-prefix=DELAY %s
; RUN: %{div} -passes='function(branch-distribute,instcombine<no-verify-fixpoint>,gvn,adce)' %S/distribute_switch.ll 2>/dev/null | llc -O3 -mcpu=sm_90 -mattr=+ptx83 -disable-early-taildup | FileCheck --check-prefix=EVENTS %s
; SIDES: .visible .entry k(
; SIDES-COUNT-4: div.rn.f32
; SIDES-NOT: div.rn.f32
; DELAY: .visible .entry k(
; DELAY: activemask.b32
; DELAY-COUNT-2: vote.sync.ballot.b32
; DELAY-NOT: vote.sync.ballot.b32
; EVENTS: .visible .entry k(
; EVENTS-COUNT-3: div.rn.f32
; EVENTS-NOT: div.rn.f32
