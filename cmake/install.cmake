# What `make install` puts where, and how other programs find the library: pkg-config and find_package(corpuscle).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/corpuscle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/corpuscle OPTIONAL)
if(TARGET corpuscle)
  install(TARGETS corpuscle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

if(TARGET corpuscle_mpi)
  install(TARGETS corpuscle_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

if(CRP_SHARED)
  target_include_directories(corpuscle_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(corpuscle_shared PROPERTIES EXPORT_NAME corpuscle)
  install(TARGETS corpuscle_shared EXPORT corpuscle-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

  # Both files find the prefix from where they lie, so an installed tree can be moved.
  file(RELATIVE_PATH CRP_PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(cmake/corpuscle.pc.in corpuscle.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/corpuscle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

  set(CRP_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/corpuscle)
  install(EXPORT corpuscle-targets NAMESPACE corpuscle:: DESTINATION ${CRP_CMAKE_DIR})
  configure_package_config_file(cmake/corpuscle-config.cmake.in corpuscle-config.cmake
                                INSTALL_DESTINATION ${CRP_CMAKE_DIR})
  write_basic_package_version_file(corpuscle-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/corpuscle-config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/corpuscle-config-version.cmake DESTINATION ${CRP_CMAKE_DIR})
endif()
