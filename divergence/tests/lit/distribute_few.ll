; Little in common: not worth a word.
; RUN: %{div} -passes='function(branch-distribute)' %s 2>&1 | FileCheck %s
; CHECK-NOT: branch-distribute
; CHECK: left:

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
  %a15 = mul i32 %a14, 33
  %a16 = mul i32 %a15, 35
  %a17 = mul i32 %a16, 37
  %a18 = mul i32 %a17, 39
  %a19 = mul i32 %a18, 41
  %a20 = mul i32 %a19, 43
  %a21 = mul i32 %a20, 45
  %a22 = mul i32 %a21, 47
  %a23 = mul i32 %a22, 49
  %a24 = mul i32 %a23, 51
  %a25 = mul i32 %a24, 53
  %a26 = mul i32 %a25, 55
  %a27 = mul i32 %a26, 57
  %a28 = mul i32 %a27, 59
  %a29 = mul i32 %a28, 61
  br label %join

right:
  %b = xor i32 %x, 99
  br label %join

join:
  %r = phi i32 [ %a29, %left ], [ %b, %right ]
  store i32 %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
