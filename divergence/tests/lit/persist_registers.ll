; With the registers of a kernel known: the grid that works is what the GPU holds of it, and a kernel that took more registers
; than before and would be held by a third less keeps to those that it had.
; RUN: echo "k 128 142" > %t.more && echo "k 32 40" > %t.few
; RUN: %{div} -divergence-registers=%t.more -passes='function(loop-simplify,persist<force>)' %s 2>&1 | FileCheck %s --check-prefix=MORE
; RUN: %{div} -divergence-registers=%t.few -passes='function(loop-simplify,persist<force>)' %s 2>&1 | FileCheck %s --check-prefix=FEW
; MORE: udiv i32 512, %
; MORE: call i32 @llvm.umax.i32(i32 %{{.*}}, i32 1)
; MORE: !{ptr @k, !"maxnreg", i32 128}
; FEW: udiv i32 1536, %
; FEW-NOT: maxnreg
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
