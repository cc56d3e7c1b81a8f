; A loop in steps of the grid's size: the kernel goes round its items by itself.
; RUN: %{div} -passes='function(loop-simplify,persist<force>)' %s 2>&1 | FileCheck %s
; CHECK-NOT: persistent
; CHECK: define void @k

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %block, %size
  %first = add i32 %base, %tid
  %step = mul i32 %blocks, %size
  %is_one = icmp ult i32 %first, %n
  br i1 %is_one, label %loop, label %done

loop:
  %id = phi i32 [ %first, %entry ], [ %id.next, %loop ]
  %slot = getelementptr i32, ptr %out, i32 %id
  store i32 %id, ptr %slot
  %id.next = add i32 %id, %step
  %more = icmp ult i32 %id.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
