; Calls of one function pair up with selected arguments; calls of two functions do not become calls through a pointer.
; RUN: %{div} -passes='branch-distribute<force>' %s 2>&1 | FileCheck %s
; CHECK-LABEL: define void @k(
; CHECK: [[N:%.*]] = select i1 %way, i32 %a, i32 %b
; CHECK: call i32 @work(i32 [[N]])
; CHECK-NOT: call i32 @work
; CHECK: br i1 %way, {{.*}}!corpuscle.divergence.gap
; CHECK-DAG: call i32 @one(
; CHECK-DAG: call i32 @other(
; CHECK: store i32

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %a, i32 %b) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = call i32 @work(i32 %a)
  %f1 = call i32 @one(i32 %f0)
  br label %done

second:
  %s0 = call i32 @work(i32 %b)
  %s1 = call i32 @other(i32 %s0)
  br label %done

done:
  %r = phi i32 [ %f1, %first ], [ %s1, %second ]
  store i32 %r, ptr %slot
  ret void
}

declare i32 @work(i32)
declare i32 @one(i32)
declare i32 @other(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
