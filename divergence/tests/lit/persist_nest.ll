; A kernel with a loop in a loop, and a function that it calls: the items' loop merges with the outer one of them alone when one
; level is asked for, with both else.
; RUN: %{div} -passes='function(loop-simplify,persist<force>,loop-simplify,loop-merge<force;steps=1;depth=1>),function(print<loops>)' %s 2>&1 | FileCheck %s
; RUN: %{div} -passes='function(loop-simplify,persist<force>,loop-simplify,loop-merge<force;steps=1>),function(print<loops>)' %s 2>&1 | FileCheck %s --check-prefix=WHOLE
; CHECK: persist: kernel made persistent
; CHECK: loop-merge: merged (1 loop into
; CHECK: Loop at depth 1
; CHECK: Loop at depth 2
; CHECK-NOT: Loop at depth
; WHOLE: loop-merge: merged (2 loops into
; WHOLE: Loop at depth 1
; WHOLE-NOT: Loop at depth

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define internal i32 @step(i32 %x) noinline {
  %a = mul i32 %x, 747796405
  %b = add i32 %a, 12345
  ret i32 %b
}

define void @k(ptr %out) {
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %base = mul i32 %block, %size
  %id = add i32 %base, %tid
  br label %outer

outer:
  %x = phi i32 [ %id, %entry ], [ %y.next, %outer.end ]
  br label %inner

inner:
  %y = phi i32 [ %x, %outer ], [ %y.next, %inner ]
  %y.next = call i32 @step(i32 %y)
  %bit = and i32 %y.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %outer.end

outer.end:
  %high = lshr i32 %y.next, 27
  %again = icmp ne i32 %high, 0
  br i1 %again, label %outer, label %done

done:
  %slot = getelementptr i32, ptr %out, i32 %id
  store i32 %y.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
