; A store without partner stays under the branch; what follows it is common again.
; RUN: %{div} -passes='branch-distribute' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(branch-distribute),default<O3>' %s 2>&1 | FileCheck --check-prefix=O3 %s
; CHECK: branch-distribute: distributed (4 of 5 and 4 instructions in common, 1 select, 1 guarded gap;
; CHECK: fdiv
; CHECK: fdiv
; CHECK-NOT: fdiv
; CHECK: br i1 %way, label %[[THEN:.*]], label %[[MEET:.*]], !corpuscle.divergence.gap
; CHECK: [[THEN]]:
; CHECK-NEXT: store float {{.*}}, ptr %log
; CHECK-NEXT: br label %[[MEET]]
; CHECK: [[MEET]]:
; CHECK: fdiv
; CHECK: fdiv
; CHECK-NOT: fdiv
; O3-COUNT-4: fdiv
; O3-NOT: fdiv

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, ptr %log, float %a, float %b) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %way = fcmp olt float %x, 1.0
  br i1 %way, label %first, label %second

first:
  %f1 = fdiv float %x, %a
  %f2 = fdiv float %f1, %a
  store float %f2, ptr %log
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  br label %done

second:
  %s1 = fdiv float %x, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  br label %done

done:
  %r = phi float [ %f4, %first ], [ %s4, %second ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
