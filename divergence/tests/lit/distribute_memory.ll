; One load for both sides, from a chosen address, with the smaller alignment.
; RUN: %{div} -passes='function(branch-distribute)' %s 2>&1 | FileCheck %s
; CHECK: branch-distribute: distributed
; CHECK: [[INDEX:%.*]] = select i1 %odd, i32 5, i32 %n
; CHECK: getelementptr i32, ptr %in, i32 [[INDEX]]
; CHECK: load i32, ptr {{.*}}, align 4
; CHECK-NOT: load i32, ptr %in

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
  %pl = getelementptr i32, ptr %in, i32 5
  %vl = load i32, ptr %pl, align 8
  %a0 = mul i32 %vl, 3
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
  %pr = getelementptr i32, ptr %in, i32 %n
  %vr = load i32, ptr %pr, align 4
  %b0 = mul i32 %vr, 3
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
  %b15 = mul i32 %b14, 33
  %b16 = mul i32 %b15, 35
  %b17 = mul i32 %b16, 37
  %b18 = mul i32 %b17, 39
  %b19 = mul i32 %b18, 41
  %b20 = mul i32 %b19, 43
  %b21 = mul i32 %b20, 45
  %b22 = mul i32 %b21, 47
  %b23 = mul i32 %b22, 49
  %b24 = mul i32 %b23, 51
  %b25 = mul i32 %b24, 53
  %b26 = mul i32 %b25, 55
  %b27 = mul i32 %b26, 57
  %b28 = mul i32 %b27, 59
  %b29 = mul i32 %b28, 61
  br label %join

join:
  %r = phi i32 [ %a29, %left ], [ %b29, %right ]
  store i32 %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
