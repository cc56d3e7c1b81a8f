; Three loops become one.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1>),function(print<loops>)' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1>),default<O3>,function(print<loops>)' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1;depth=1>),function(print<loops>)' %s 2>&1 | FileCheck %s --check-prefix=INNER
; INNER: loop-merge: merged (1 loop into
; INNER-NOT: merged (
; INNER: Loop at depth 2
; INNER-NOT: Loop at depth 3
; CHECK: loop-merge: merged (2 loops into the one at
; CHECK: Loop at depth 1
; CHECK-NOT: Loop at depth
; CHECK: define {{.*}}void @k

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
  br label %middle

middle:
  %m = phi i32 [ %seed, %outer ], [ %m.next, %after ]
  %m.next = mul i32 %m, 1664525
  br label %inner

inner:
  %x = phi i32 [ %m.next, %middle ], [ %x.next, %inner ]
  %a = mul i32 %x, 747796405
  %x.next = add i32 %a, 12345
  %bit = and i32 %x.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %after

after:
  %bit2 = and i32 %x.next, 12288
  %more2 = icmp ne i32 %bit2, 0
  br i1 %more2, label %middle, label %next

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
