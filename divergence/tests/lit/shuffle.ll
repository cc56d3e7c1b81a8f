; A shuffle in the prologue.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force>)' %s 2>&1 | FileCheck %s
; CHECK: loop-merge: not merged: shuffle (llvm.nvvm.shfl.sync.idx.i32) needs its lanes together
; CHECK-NOT: div.head

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %sum = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %seed = add i32 %tid, %i
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %seed, i32 0, i32 31)
  br label %inner

inner:
  %x = phi i32 [ %seed, %outer ], [ %x.next, %inner ]
  %a = mul i32 %x, 747796405
  %x.next = add i32 %a, 12345
  %bit = and i32 %x.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %next

next:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  store i32 %x.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
