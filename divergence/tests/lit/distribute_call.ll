; A convergent operation in one side: the branch is left as it is.
; RUN: %{div} -passes='branch-distribute<force>' %s 2>&1 | FileCheck %s
; CHECK: branch-distribute: not distributed: call (unknown) needs its lanes together
; CHECK: br i1 %way, label %first, label %second
; CHECK-NOT: select

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
  %f1 = fdiv float %x, %a
  call void @unknown()
  %f2 = fdiv float %f1, %a
  br label %done

second:
  %s1 = fdiv float %x, %b
  %s2 = fdiv float %s1, %b
  br label %done

done:
  %r = phi float [ %f2, %first ], [ %s2, %second ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @unknown() convergent

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
