; Two inner loops one after the other: a guard for each.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1>),function(print<loops>)' %s 2>&1 | FileCheck %s
; CHECK: loop-merge: merged (2 loops into the one at
; CHECK: Loop at depth 1
; CHECK-NOT: Loop at depth
; CHECK: define void @k
; CHECK: label %first
; CHECK: br i1 %div.here{{[0-9]*}}, label %second, label %div.latch

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %seed = add i32 %tid, %i
  br label %first

first:
  %x = phi i32 [ %seed, %outer ], [ %x.next, %first ]
  %a = mul i32 %x, 747796405
  %x.next = add i32 %a, 12345
  %bit = and i32 %x.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %first, label %between

between:
  %b = xor i32 %x.next, %i
  br label %second

second:
  %y = phi i32 [ %b, %between ], [ %y.next, %second ]
  %c = mul i32 %y, 277803737
  %y.next = add i32 %c, 777
  %bit2 = and i32 %y.next, 12
  %more2 = icmp ne i32 %bit2, 0
  br i1 %more2, label %second, label %next

next:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  store i32 %y.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
