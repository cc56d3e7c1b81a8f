; A branch on a hash: lanes part there, no record is needed to know. One on address arithmetic is not taken for it.
; RUN: %{div} -passes='branch-distribute' %s 2>&1 | FileCheck %s
; CHECK-DAG: random.ll: k: branch-distribute: distributed ({{.*}}branch: random)
; CHECK-DAG: random.ll: address: branch-distribute: {{.*}}branch: not recorded)

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, float %a, float %b) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %h0 = lshr i32 %tid, 16
  %h1 = xor i32 %h0, %tid
  %h2 = mul i32 %h1, 2146121005
  %h3 = lshr i32 %h2, 15
  %h4 = xor i32 %h3, %h2
  %way = icmp ult i32 %h4, 900000000
  br i1 %way, label %first, label %second

first:
  %f0 = fmul float %x, %x
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  br label %done

second:
  %s0 = fadd float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  br label %done

done:
  %r = phi float [ %f3, %first ], [ %s3, %second ]
  store float %r, ptr %slot
  ret void
}

define void @address(ptr %out, float %a, float %b) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %h0 = lshr i32 %tid, 16
  %h1 = add i32 %h0, %tid
  %h2 = mul i32 %h1, 24
  %h3 = lshr i32 %h2, 15
  %h4 = xor i32 %h3, %h2
  %way = icmp ult i32 %h4, 900000000
  br i1 %way, label %first, label %second

first:
  %f0 = fmul float %x, %x
  %f1 = fdiv float %f0, %a
  %f2 = fdiv float %f1, %a
  %f3 = fdiv float %f2, %a
  br label %done

second:
  %s0 = fadd float %x, %b
  %s1 = fdiv float %s0, %b
  %s2 = fdiv float %s1, %b
  %s3 = fdiv float %s2, %b
  br label %done

done:
  %r = phi float [ %f3, %first ], [ %s3, %second ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @address, !"kernel", i32 1}
