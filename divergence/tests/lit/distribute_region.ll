; An inner branch and a loop in both sides: their blocks pair up, conditions and bounds are selected.
; RUN: %{div} -passes='branch-distribute<force>' %s 2>&1 | FileCheck %s
; CHECK: branch-distribute: distributed (
; CHECK: [[WAY:%.*]] = icmp slt i32 %x, 0
; CHECK-NOT: label %first
; CHECK: [[C:%.*]] = icmp eq i32
; CHECK: br i1 [[C]], label %div.both
; CHECK: mul i32
; CHECK-NOT: mul i32
; CHECK: [[N:%.*]] = select i1 [[WAY]], i32 %n, i32 %m
; CHECK: icmp ult i32 {{.*}}, [[N]]
; CHECK: br i1 {{.*}}, label %[[LOOP:div.both.*]], label %div.after
; CHECK-NOT: icmp ult
; CHECK: store i32

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  %x = load i32, ptr %slot
  %way = icmp slt i32 %x, 0
  br i1 %way, label %first, label %second

first:
  %fc = icmp eq i32 %x, -7
  br i1 %fc, label %fthen, label %floop

fthen:
  %f1 = mul i32 %x, %x
  store volatile i32 %f1, ptr %slot
  br label %floop

floop:
  %fi = phi i32 [ 0, %first ], [ 0, %fthen ], [ %fi.next, %floop ]
  %fs = phi i32 [ %x, %first ], [ %f1, %fthen ], [ %fs.next, %floop ]
  %fs.next = udiv i32 %fs, 3
  store volatile i32 %fs.next, ptr %slot
  %fi.next = add i32 %fi, 1
  %fmore = icmp ult i32 %fi.next, %n
  br i1 %fmore, label %floop, label %done

second:
  %sc = icmp eq i32 %x, 9
  br i1 %sc, label %sthen, label %sloop

sthen:
  %s1 = mul i32 %x, %m
  store volatile i32 %s1, ptr %slot
  br label %sloop

sloop:
  %si = phi i32 [ 0, %second ], [ 0, %sthen ], [ %si.next, %sloop ]
  %ss = phi i32 [ %x, %second ], [ %s1, %sthen ], [ %ss.next, %sloop ]
  %ss.next = udiv i32 %ss, 5
  store volatile i32 %ss.next, ptr %slot
  %si.next = add i32 %si, 1
  %smore = icmp ult i32 %si.next, %m
  br i1 %smore, label %sloop, label %done

done:
  %r = phi i32 [ %fs.next, %floop ], [ %ss.next, %sloop ]
  store i32 %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
