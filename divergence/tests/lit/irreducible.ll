; A cycle with two entries inside the outer loop: left as it is.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force>)' %s 2>&1 | FileCheck %s
; CHECK: loop-merge: not merged: the loop has more than one entry (irreducible)
; CHECK-NOT: div.head

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %seed = add i32 %tid, %i
  %odd = trunc i32 %seed to i1
  br i1 %odd, label %left, label %inner

inner:
  %x = phi i32 [ %seed, %outer ], [ %x.next, %inner ]
  %x.next = mul i32 %x, 747796405
  %bit = and i32 %x.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %middle

middle:
  %way = icmp ult i32 %x.next, 9000
  br i1 %way, label %left, label %right

left:
  store i32 1, ptr %out
  br label %right

right:
  %u = load i32, ptr %out
  %turn = icmp ult i32 %u, 5
  br i1 %turn, label %left, label %next

next:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
