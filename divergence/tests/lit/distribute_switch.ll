; A switch over kinds of event: a chain of branches, melded two by two; one formula for all three, a default that never comes.
; RUN: %{div} -passes='branch-distribute' %s 2>&1 | FileCheck %s
; CHECK-COUNT-2: branch-distribute: distributed (
; CHECK-NOT: switch i32
; CHECK-COUNT-3: fdiv
; CHECK-NOT: fdiv

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, float %a, float %b, float %c) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %event = urem i32 %tid, 3
  switch i32 %event, label %never [
    i32 0, label %fly
    i32 1, label %scatter
    i32 2, label %stop
  ]

never:
  unreachable

fly:
  %f1 = fdiv float %x, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  br label %done

scatter:
  %s1 = fdiv float %x, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  br label %done

stop:
  %t1 = fdiv float %x, %c
  %t2 = fdiv float %t1, %c
  %t3 = fdiv float %t2, %c
  br label %done

done:
  %r = phi float [ %f3, %fly ], [ %s3, %scatter ], [ %t3, %stop ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
