; The dear side is not dear enough for the votes.
; RUN: %{div} -passes='function(loop-simplify,iteration-delay<steps=1>)' %s 2>&1 | FileCheck %s
; CHECK: iteration-delay: not delayed: no gain expected (predicted 0.
; CHECK-NOT: div.head

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr i32, ptr %out, i32 %tid
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %x = phi i32 [ %tid, %entry ], [ %x.next, %next ]
  %bit = and i32 %x, 28
  %rare = icmp eq i32 %bit, 0
  br i1 %rare, label %dear, label %cheap

dear:
  %d0 = mul i32 %x, 3
  %d1 = mul i32 %d0, 5
  %d2 = mul i32 %d1, 7
  %d3 = mul i32 %d2, 9
  %d4 = mul i32 %d3, 11
  %d5 = mul i32 %d4, 13
  %d6 = mul i32 %d5, 15
  %d7 = mul i32 %d6, 17
  %d8 = mul i32 %d7, 19
  %d9 = mul i32 %d8, 21
  %d10 = mul i32 %d9, 23
  %d11 = mul i32 %d10, 25
  %d12 = mul i32 %d11, 27
  %d13 = mul i32 %d12, 29
  %d14 = mul i32 %d13, 31
  %d15 = mul i32 %d14, 33
  %d16 = mul i32 %d15, 35
  %d17 = mul i32 %d16, 37
  %d18 = mul i32 %d17, 39
  %d19 = mul i32 %d18, 41
  %d20 = mul i32 %d19, 43
  %d21 = mul i32 %d20, 45
  %d22 = mul i32 %d21, 47
  %d23 = mul i32 %d22, 49
  %d24 = mul i32 %d23, 51
  %d25 = mul i32 %d24, 53
  %d26 = mul i32 %d25, 55
  %d27 = mul i32 %d26, 57
  %d28 = mul i32 %d27, 59
  %d29 = mul i32 %d28, 61
  %d30 = mul i32 %d29, 63
  %d31 = mul i32 %d30, 65
  %d32 = mul i32 %d31, 67
  %d33 = mul i32 %d32, 69
  %d34 = mul i32 %d33, 71
  %d35 = mul i32 %d34, 73
  %d36 = mul i32 %d35, 75
  %d37 = mul i32 %d36, 77
  %d38 = mul i32 %d37, 79
  %d39 = mul i32 %d38, 81
  %d40 = mul i32 %d39, 83
  %d41 = mul i32 %d40, 85
  %d42 = mul i32 %d41, 87
  %d43 = mul i32 %d42, 89
  %d44 = mul i32 %d43, 91
  %d45 = mul i32 %d44, 93
  %d46 = mul i32 %d45, 95
  %d47 = mul i32 %d46, 97
  %d48 = mul i32 %d47, 99
  %d49 = mul i32 %d48, 101
  %d50 = mul i32 %d49, 103
  %d51 = mul i32 %d50, 105
  %d52 = mul i32 %d51, 107
  %d53 = mul i32 %d52, 109
  %d54 = mul i32 %d53, 111
  %d55 = mul i32 %d54, 113
  %d56 = mul i32 %d55, 115
  %d57 = mul i32 %d56, 117
  %d58 = mul i32 %d57, 119
  %d59 = mul i32 %d58, 121
  br label %next

cheap:
  %c = add i32 %x, 99
  br label %next

next:
  %x.next = phi i32 [ %d59, %dear ], [ %c, %cheap ]
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %loop, label %done

done:
  store i32 %x.next, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
