; One item a thread becomes a loop over items, which merges with the kernel's own.
; RUN: %{div} -passes='function(loop-simplify,persist<force>)' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(loop-simplify,persist<force>,loop-simplify,loop-merge<force>),function(print<loops>)' %s 2>&1 | FileCheck %s --check-prefix=MERGED
; CHECK: persist: kernel made persistent
; CHECK: %persist.held = mul i32 {{.*}}, 132
; CHECK: persist.body:
; CHECK: %persist.block = phi i32 [ {{.*}}, %entry ], [ {{.*}}, %persist.next ]
; CHECK: [[X:%.*]] = urem i32 %persist.block
; CHECK: mul i32 [[X]], %size
; CHECK: persist.next:
; CHECK: add i32 %persist.block, %persist.held
; CHECK: persist.out:
; CHECK-NEXT: ret void
; CHECK-NOT: ret void
; MERGED: loop-merge: merged
; MERGED: Loop at depth 1
; MERGED-NOT: Loop at depth

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %block, %size
  %id = add i32 %base, %tid
  %is_one = icmp ult i32 %id, %n
  br i1 %is_one, label %begin, label %none

none:
  ret void

begin:
  br label %loop

loop:
  %x = phi i32 [ %id, %begin ], [ %x.next, %loop ]
  %a = mul i32 %x, 747796405
  %x.next = add i32 %a, 12345
  %bit = and i32 %x.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %loop, label %done

done:
  %slot = getelementptr i32, ptr %out, i32 %id
  store i32 %x.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
