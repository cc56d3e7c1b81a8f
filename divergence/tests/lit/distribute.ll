; Sides alike in the middle: one row of code with selected operands, the rest run by all lanes; nothing is left under a branch.
; RUN: %{div} -passes='branch-distribute' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='branch-distribute,branch-distribute' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(branch-distribute),default<O3>' %s 2>&1 | FileCheck --check-prefix=O3 %s
; CHECK: distribute.ll: k: branch-distribute: distributed (3 of 4 and 4 instructions in common, 2 selects, 0 guarded gaps; predicted
; CHECK-NOT: branch-distribute:
; CHECK: [[WAY:%.*]] = fcmp olt float %x, 1.000000e+00
; CHECK-NOT: br i1
; CHECK: [[A:%.*]] = select i1 [[WAY]], float %a, float %b
; CHECK: fdiv float {{.*}}, [[A]]
; CHECK: fdiv float {{.*}}, [[A]]
; CHECK: fdiv float {{.*}}, [[A]]
; CHECK-NOT: fdiv
; CHECK: store float
; O3-COUNT-3: fdiv
; O3-NOT: fdiv

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, float %a, float %b) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %way = fcmp olt float %x, 1.0
  br i1 %way, label %first, label %second

first:
  %f0 = fmul float %x, %x
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  br label %done

second:
  %s0 = fadd float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  br label %done

done:
  %r = phi float [ %f3, %first ], [ %s3, %second ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
