; An inner loop of another length in each lane: one loop, one back edge, one latch.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1>)' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1>),default<O3>,function(print<loops>)' %s 2>&1 -disable-output | FileCheck %s --check-prefix=LOOPS

; CHECK: merge.ll: k: loop-merge: merged (1 loop into the one at
; CHECK-LABEL: define void @k
; CHECK: entry:
; CHECK: br label %div.head
; CHECK: div.head:
; CHECK: phi i32 [ 0, %entry ]
; CHECK: br i1 %div.here, label %outer, label %div.join
; The join asks nothing: lanes of the head and of the outer body all go on with the inner one.
; CHECK: div.join:
; CHECK-NOT: icmp
; CHECK: br label %inner
; CHECK: div.latch:
; CHECK: br i1 %div.more, label %div.head, label %div.exit, !llvm.loop
; CHECK-NOT: label %div.head
; CHECK: llvm.loop.unroll.disable

; LOOPS: Loop at depth 1
; LOOPS-NOT: Loop at depth

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

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
