; Several iterations on the cheap way between two votes: their code stands as often, the dear side once, and the loop is one.
; RUN: %{div} -passes='function(loop-simplify,iteration-delay<force;steps=3;threshold=8;patience=20>)' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(loop-simplify,iteration-delay<force;steps=3;threshold=8>),default<O3>' %s 2>&1 | FileCheck --check-prefix=O3 %s
; CHECK: iteration-delay: delayed (the dear side waits for 8 lanes or 20 turns, 3 cheap iterations a turn;
; CHECK: div.head:
; CHECK: br i1 %div.here, label %loop.turn1, label %div.join
; CHECK-DAG: %c = add i32 %{{.*}}, 99
; CHECK-DAG: icmp uge i32 %{{.*}}, 8
; CHECK-DAG: icmp uge i32 %{{.*}}, 20
; CHECK-DAG: mul i32
; CHECK: br i1 %div.any, label %div.head, label %div.exit
; CHECK: loop.turn1:
; CHECK: %c.turn1 = add i32 %{{.*}}, 99
; CHECK: loop.turn2:
; CHECK: %c.turn2 = add i32 %{{.*}}, 99
; CHECK-NOT: mul i32 %{{.*}}, 3{{$}}
; O3: mul i32
; O3-NOT: mul i32
; O3: br i1 %div.any{{.*}}label %div.head, !llvm.loop

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %x = phi i32 [ %tid, %entry ], [ %x.next, %next ]
  %bit = and i32 %x, 28
  %rare = icmp eq i32 %bit, 0
  br i1 %rare, label %dear, label %cheap

dear:
  %d0 = mul i32 %x, 3
  %d1 = mul i32 %d0, 5
  %d2 = mul i32 %d1, 7
  %d3 = mul i32 %d2, 9
  %d4 = mul i32 %d3, 11
  br label %next

cheap:
  %c = add i32 %x, 99
  br label %next

next:
  %x.next = phi i32 [ %d4, %dear ], [ %c, %cheap ]
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %loop, label %done

done:
  store i32 %x.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
