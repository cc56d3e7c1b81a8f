; What one side allows and the other does not is not allowed afterwards; other roundings do not pair.
; RUN: %{div} -passes='branch-distribute<force>' %s 2>&1 | FileCheck %s
; CHECK: distributed (2 of 3 and 3 instructions in common
; CHECK: sdiv i32
; CHECK-NOT: exact
; CHECK: fdiv nnan float
; CHECK-DAG: fdiv float
; CHECK-DAG: fdiv arcp float

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = sdiv exact i32 %tid, 12
  %f1 = fdiv nnan ninf float %x, %a
  %f2 = fdiv float %f1, %a
  br label %done

second:
  %s0 = sdiv i32 %n, 20
  %s1 = fdiv nnan nsz float %x, %b
  %s2 = fdiv arcp float %s1, %b
  br label %done

done:
  %r = phi float [ %f2, %first ], [ %s2, %second ]
  %i = phi i32 [ %f0, %first ], [ %s0, %second ]
  %y = sitofp i32 %i to float
  %z = fadd float %y, %r
  store float %z, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
