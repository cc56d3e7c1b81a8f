; Copies of a body must not take over what inlining has said about aliases within one turn.
; RUN: %{div} -passes='function(loop-simplify,loop-merge<force;steps=2>)' %s 2>&1 | FileCheck %s
; CHECK: 2 steps a turn
; CHECK-COUNT-2: load i32, ptr %in, align 4{{$}}
; CHECK-NOT: !alias.scope

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, ptr %in, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %seed = add i32 %tid, %i
  br label %inner

inner:
  %x = phi i32 [ %seed, %outer ], [ %x.next, %inner ]
  call void @llvm.experimental.noalias.scope.decl(metadata !3)
  %v = load i32, ptr %in, align 4, !alias.scope !3
  store i32 %x, ptr %out, align 4, !noalias !3
  %x.next = mul i32 %x, %v
  %bit = and i32 %x.next, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %next

next:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.experimental.noalias.scope.decl(metadata)
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = distinct !{!1}
!2 = distinct !{!2, !1}
!3 = !{!2}
