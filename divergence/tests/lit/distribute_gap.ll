; A division and a store that the other side does not have stay under the branch.
; RUN: %{div} -passes='function(branch-distribute)' %s 2>&1 | FileCheck %s
; CHECK: branch-distribute: distributed
; CHECK-COUNT-15: mul i32
; CHECK: br i1 %odd, label %div.then, label %div.meet
; CHECK: div.then:
; CHECK: udiv i32
; CHECK: store i32
; CHECK: br label %div.meet
; CHECK: div.meet:
; CHECK-COUNT-15: mul i32

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, ptr %in, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  %x = load i32, ptr %slot
  %odd = trunc i32 %x to i1
  br i1 %odd, label %left, label %right

left:
  %a0 = mul i32 %x, 3
  %a1 = mul i32 %a0, 5
  %a2 = mul i32 %a1, 7
  %a3 = mul i32 %a2, 9
  %a4 = mul i32 %a3, 11
  %a5 = mul i32 %a4, 13
  %a6 = mul i32 %a5, 15
  %a7 = mul i32 %a6, 17
  %a8 = mul i32 %a7, 19
  %a9 = mul i32 %a8, 21
  %a10 = mul i32 %a9, 23
  %a11 = mul i32 %a10, 25
  %a12 = mul i32 %a11, 27
  %a13 = mul i32 %a12, 29
  %a14 = mul i32 %a13, 31
  %q = udiv i32 %a14, 7
  store i32 %q, ptr %in
  %c0 = mul i32 %a14, 5
  %c1 = mul i32 %c0, 7
  %c2 = mul i32 %c1, 9
  %c3 = mul i32 %c2, 11
  %c4 = mul i32 %c3, 13
  %c5 = mul i32 %c4, 15
  %c6 = mul i32 %c5, 17
  %c7 = mul i32 %c6, 19
  %c8 = mul i32 %c7, 21
  %c9 = mul i32 %c8, 23
  %c10 = mul i32 %c9, 25
  %c11 = mul i32 %c10, 27
  %c12 = mul i32 %c11, 29
  %c13 = mul i32 %c12, 31
  %c14 = mul i32 %c13, 33
  br label %join

right:
  %b0 = mul i32 %x, 3
  %b1 = mul i32 %b0, 5
  %b2 = mul i32 %b1, 7
  %b3 = mul i32 %b2, 9
  %b4 = mul i32 %b3, 11
  %b5 = mul i32 %b4, 13
  %b6 = mul i32 %b5, 15
  %b7 = mul i32 %b6, 17
  %b8 = mul i32 %b7, 19
  %b9 = mul i32 %b8, 21
  %b10 = mul i32 %b9, 23
  %b11 = mul i32 %b10, 25
  %b12 = mul i32 %b11, 27
  %b13 = mul i32 %b12, 29
  %b14 = mul i32 %b13, 31
  %d0 = mul i32 %b14, 5
  %d1 = mul i32 %d0, 7
  %d2 = mul i32 %d1, 9
  %d3 = mul i32 %d2, 11
  %d4 = mul i32 %d3, 13
  %d5 = mul i32 %d4, 15
  %d6 = mul i32 %d5, 17
  %d7 = mul i32 %d6, 19
  %d8 = mul i32 %d7, 21
  %d9 = mul i32 %d8, 23
  %d10 = mul i32 %d9, 25
  %d11 = mul i32 %d10, 27
  %d12 = mul i32 %d11, 29
  %d13 = mul i32 %d12, 31
  %d14 = mul i32 %d13, 33
  br label %join

join:
  %r = phi i32 [ %c14, %left ], [ %d14, %right ]
  store i32 %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
