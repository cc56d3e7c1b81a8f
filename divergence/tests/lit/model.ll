; A loop that ends on what a generator makes: lanes differ, and it is merged with four steps.
; RUN: %{div} -passes='function(loop-simplify,loop-merge)' %s 2>&1 | FileCheck %s
; RUN: %{div} -divergence-margin=3 -passes='function(loop-simplify,loop-merge)' %s 2>&1 | FileCheck %s --check-prefix=STRICT
; RUN: %{div} -divergence-report -passes='function(loop-simplify,loop-merge)' %s 2>&1 | FileCheck %s --check-prefix=REPORT
; CHECK: loop-merge: merged ({{.*}}4 steps a turn; predicted {{[12]}}.{{[0-9]+}} times; {{.*}}ends at no fixed count)
; STRICT: loop-merge: not merged: no gain expected (predicted
; STRICT-NOT: div.head
; REPORT: loop-merge: would merge (
; REPORT-NOT: div.head

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  br label %outer

outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %sum = phi i32 [ 0, %entry ], [ %x.next, %next ]
  %seed = add i32 %tid, %i
  %u = udiv i32 %seed, 7
  br label %inner

inner:
  %x = phi i32 [ %seed, %outer ], [ %x.next, %inner ]
  %a = mul i32 %x, 747796405
  %x.next = add i32 %a, 12345
  %w0 = mul i32 %a, 3
  %w1 = mul i32 %w0, 5
  %w2 = mul i32 %w1, 7
  %w3 = mul i32 %w2, 9
  %w4 = mul i32 %w3, 11
  %w5 = mul i32 %w4, 13
  %w6 = mul i32 %w5, 15
  %w7 = mul i32 %w6, 17
  %w8 = mul i32 %w7, 19
  %w9 = mul i32 %w8, 21
  %w10 = mul i32 %w9, 23
  %w11 = mul i32 %w10, 25
  %w12 = mul i32 %w11, 27
  %w13 = mul i32 %w12, 29
  %w14 = mul i32 %w13, 31
  %w15 = mul i32 %w14, 33
  %w16 = mul i32 %w15, 35
  %w17 = mul i32 %w16, 37
  %w18 = mul i32 %w17, 39
  %w19 = mul i32 %w18, 41
  %w20 = mul i32 %w19, 43
  %w21 = mul i32 %w20, 45
  %w22 = mul i32 %w21, 47
  %w23 = mul i32 %w22, 49
  %w24 = mul i32 %w23, 51
  %w25 = mul i32 %w24, 53
  %w26 = mul i32 %w25, 55
  %w27 = mul i32 %w26, 57
  %w28 = mul i32 %w27, 59
  %w29 = mul i32 %w28, 61
  %w30 = mul i32 %w29, 63
  %w31 = mul i32 %w30, 65
  %w32 = mul i32 %w31, 67
  %w33 = mul i32 %w32, 69
  %w34 = mul i32 %w33, 71
  %w35 = mul i32 %w34, 73
  %w36 = mul i32 %w35, 75
  %w37 = mul i32 %w36, 77
  %w38 = mul i32 %w37, 79
  %w39 = mul i32 %w38, 81
  %sh = lshr i32 %x.next, 15
  %xs = xor i32 %sh, %x.next
  %bit = and i32 %xs, 28
  %more = icmp ne i32 %bit, 0
  br i1 %more, label %inner, label %next

next:
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  store i32 %x.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
