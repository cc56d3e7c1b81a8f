; The remark names the branch's line; what stays under it keeps its own line, pairs have no line of one side.
; RUN: %{div} -passes='branch-distribute' %s 2>&1 | FileCheck %s
; CHECK: sides.cu:3:9: branch-distribute: distributed (
; CHECK: fdiv float {{.*}}, !dbg [[BOTH:![0-9]+]]
; CHECK: store float {{.*}}, ptr %log, align 4, !dbg [[OWN:![0-9]+]]
; CHECK: [[BOTH]] = !DILocation(line: 0, scope: {{.*}})
; CHECK: [[OWN]] = !DILocation(line: 5, column: 23, scope: {{.*}})

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @k(ptr %out, ptr %log, float %a, float %b) !dbg !10 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %slot = getelementptr float, ptr %out, i32 %tid
  %x = load float, ptr %slot
  %way = fcmp olt float %x, 1.0
  br i1 %way, label %first, label %second, !dbg !20

first:
  %f1 = fdiv float %x, %a, !dbg !21
  %f2 = fdiv float %f1, %a, !dbg !22
  store float %f2, ptr %log, !dbg !23
  %f3 = fdiv float %f2, %a, !dbg !24
  %f4 = fdiv float %f3, %a, !dbg !25
  br label %done

second:
  %s1 = fdiv float %x, %b, !dbg !26
  %s2 = fdiv float %s1, %b, !dbg !27
  %s3 = fdiv float %s2, %b, !dbg !28
  %s4 = fdiv float %s3, %b, !dbg !29
  br label %done

done:
  %r = phi float [ %f4, %first ], [ %s4, %second ]
  store float %r, ptr %slot
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
!llvm.dbg.cu = !{!11}
!llvm.module.flags = !{!12}
!10 = distinct !DISubprogram(name: "k", file: !13, line: 1, type: !14, unit: !11, spFlags: DISPFlagDefinition)
!11 = distinct !DICompileUnit(language: DW_LANG_C99, file: !13, emissionKind: FullDebug)
!12 = !{i32 2, !"Debug Info Version", i32 3}
!13 = !DIFile(filename: "sides.cu", directory: "/")
!14 = !DISubroutineType(types: !15)
!15 = !{null}
!20 = !DILocation(line: 3, column: 9, scope: !10)
!21 = !DILocation(line: 5, column: 21, scope: !10)
!22 = !DILocation(line: 5, column: 22, scope: !10)
!23 = !DILocation(line: 5, column: 23, scope: !10)
!24 = !DILocation(line: 5, column: 24, scope: !10)
!25 = !DILocation(line: 5, column: 25, scope: !10)
!26 = !DILocation(line: 8, column: 26, scope: !10)
!27 = !DILocation(line: 8, column: 27, scope: !10)
!28 = !DILocation(line: 8, column: 28, scope: !10)
!29 = !DILocation(line: 8, column: 29, scope: !10)
