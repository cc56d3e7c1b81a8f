; Left as they are: sides that do not meet, a side entered from elsewhere, a cycle with two entries, a uniform branch, a side
; with nothing in common, a branch on a constant, an annotation that forbids it.
; RUN: %{div} -passes='branch-distribute' %s 2>&1 | FileCheck %s
; CHECK-DAG: returns: branch-distribute: not distributed: the sides do not meet again
; CHECK-DAG: two_entries: branch-distribute: not distributed: the sides do not meet again
; CHECK-DAG: inner_cycle: branch-distribute: not distributed: a cycle in a side has more than one entry (irreducible)
; CHECK-NOT: : distributed
; CHECK-NOT: select

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @returns(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  ret void

second:
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @uniform(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %u, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  br label %done

second:
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %f5, %first ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @constant(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 true, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  br label %done

second:
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %f5, %first ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @off(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  br label %done

second:
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %f5, %first ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @entered(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  br i1 %u, label %done, label %second

second:
  %m = phi i32 [ 0, %entry ], [ 1, %first ]
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %f5, %first ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @two_entries(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  br i1 %u, label %p, label %q

p:
  store volatile float %f5, ptr %slot
  %pc = load volatile i1, ptr %out
  br i1 %pc, label %q, label %done

q:
  store volatile float %f4, ptr %slot
  br label %p

second:
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %f5, %p ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @inner_cycle(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  %f4 = fdiv float %f3, %a
  %f5 = fdiv float %f4, %a
  br i1 %u, label %p, label %q

p:
  store volatile float %f5, ptr %slot
  %pc = load volatile i1, ptr %out
  br i1 %pc, label %q, label %done

q:
  store volatile float %f4, ptr %slot
  %qc = load volatile i1, ptr %out
  br i1 %qc, label %p, label %done

second:
  %s0 = fdiv float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  %s4 = fdiv float %s3, %b
  %s5 = fdiv float %s4, %b
  br label %done

done:
  %r = phi float [ %f5, %p ], [ %f4, %q ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

define void @other(ptr %out, float %a, float %b, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %u = icmp slt i32 %n, 3
  %way = icmp slt i32 %tid, 5
  br i1 %way, label %first, label %second

first:
  %f0 = fdiv float %x, %a
  %f1 = call float @llvm.sqrt.f32(float %f0)
  %f5 = fadd float %f1, %a
  br label %done

second:
  %s0 = fmul float %x, %b
  %s1 = frem float %s0, %a
  %s5 = fadd float %s1, %b
  br label %done

done:
  %r = phi float [ %f5, %first ], [ %s5, %second ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.sqrt.f32(float)

@text = private unnamed_addr constant [26 x i8] c"div.branch-distribute:off\00", section "llvm.metadata"
@file = private unnamed_addr constant [2 x i8] c"f\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @off, ptr @text, ptr @file, i32 1, ptr null }], section "llvm.metadata"

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{ptr @returns, !"kernel", i32 1}
!1 = !{ptr @uniform, !"kernel", i32 1}
!2 = !{ptr @constant, !"kernel", i32 1}
!3 = !{ptr @off, !"kernel", i32 1}
!4 = !{ptr @entered, !"kernel", i32 1}
!5 = !{ptr @two_entries, !"kernel", i32 1}
!6 = !{ptr @other, !"kernel", i32 1}
!7 = !{ptr @inner_cycle, !"kernel", i32 1}
