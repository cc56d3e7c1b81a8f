; assert and printf in device code are calls of one lane, whatever clang marks them.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=1>)' %s 2>&1 | FileCheck %s
; CHECK: loop-merge: merged (1 loop into

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.end ]
  %x = phi i32 [ %tid, %entry ], [ %y.next, %outer.end ]
  br label %inner

inner:
  %y = phi i32 [ %x, %outer ], [ %y.next, %inner.end ]
  %a = mul i32 %y, 747796405
  %y.next = add i32 %a, 12345
  %is_bad = icmp eq i32 %y.next, 77
  br i1 %is_bad, label %bad, label %inner.end

bad:
  call void @__assertfail(ptr null, ptr null, i32 1, ptr null, i64 1) #0
  unreachable

inner.end:
  %bit = and i32 %y.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %outer.end

outer.end:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  %slot = getelementptr i32, ptr %out, i32 %tid
  store i32 %y.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @__assertfail(ptr, ptr, i32, ptr, i64) #0
attributes #0 = { convergent noreturn }

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
