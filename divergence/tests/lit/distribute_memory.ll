; One access for two where type, order and address space agree; the smaller alignment counts. Volatile and plain ones, atomics
; of another order and other address spaces do not pair.
; RUN: %{div} -passes='branch-distribute<force>' %s 2>&1 | FileCheck %s
; CHECK-LABEL: define void @k(
; CHECK: [[P:%.*]] = select i1 %way, ptr %p, ptr %q
; CHECK: load i32, ptr [[P]], align 4
; CHECK-NOT: load
; CHECK: [[Q:%.*]] = select i1 %way, ptr %q, ptr %p
; CHECK: store i32 {{.*}}, ptr [[Q]], align 2
; CHECK: atomicrmw add ptr {{.*}}, i32 {{.*}} monotonic, align 4
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define void @apart(
; CHECK: br i1 %way, label %first, label %second
; CHECK: load volatile
; CHECK: load i32
; CHECK: atomicrmw add ptr %p, i32 1 monotonic
; CHECK: atomicrmw add ptr %q, i32 1 seq_cst
; CHECK: load i32, ptr addrspacecast

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(3) global [32 x i32] undef

define void @k(ptr %out, ptr %p, ptr %q) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %way = icmp slt i32 %tid, 9
  br i1 %way, label %first, label %second

first:
  %f1 = load i32, ptr %p, align 8
  %f2 = udiv i32 %f1, 7
  store i32 %f2, ptr %q, align 4
  %f3 = atomicrmw add ptr %out, i32 %f2 monotonic, align 4
  br label %done

second:
  %s1 = load i32, ptr %q, align 4
  %s2 = udiv i32 %s1, 9
  store i32 %s2, ptr %p, align 2
  %s3 = atomicrmw add ptr %q, i32 %s2 monotonic, align 4
  br label %done

done:
  ret void
}

define void @apart(ptr %out, ptr %p, ptr %q) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %way = icmp slt i32 %tid, 9
  br i1 %way, label %first, label %second

first:
  %f1 = load volatile i32, ptr %p, align 4
  store i32 %f1, ptr %out, align 4
  %f2 = load i32, ptr %p, align 4
  store volatile i32 %f2, ptr %out, align 4
  %f3 = atomicrmw add ptr %p, i32 1 monotonic, align 4
  br label %done

second:
  %s3 = atomicrmw add ptr %q, i32 1 seq_cst, align 4
  %s1 = load i32, ptr addrspacecast (ptr addrspace(3) @table to ptr), align 4
  store atomic i32 %s1, ptr %out release, align 4
  br label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @apart, !"kernel", i32 1}
