# SPDX-License-Identifier: GPL-2.0-only
# build_lib() and build_lib_example() with ns-3's argument names, against an installed ns-3.
#
# find_package(ns3) is avoided: Debian's ns3Config.cmake wants ns3, libgsl-dev, libxml2-dev,
# libsqlite3-dev and libpython3.11-dev installed and accepts exactly version 3.37.
find_path(NS3_INCLUDE ns3/core-config.h HINTS ${NS3_ROOT}/include REQUIRED)

function(ns3_library module)
  if(NOT TARGET lib${module})
    find_library(NS3_LIB_${module} NAMES ns3-${module}${NS3_SUFFIX} HINTS ${NS3_ROOT}/lib REQUIRED)
    add_library(lib${module} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(lib${module} PROPERTIES IMPORTED_LOCATION ${NS3_LIB_${module}}
                          INTERFACE_INCLUDE_DIRECTORIES ${NS3_INCLUDE})
  endif()
endfunction()

foreach(module core network internet bridge point-to-point csma applications)
  set(lib${module} lib${module})
endforeach()

# The protocol (wire/ and core/) is compiled on its own, without an ns-3 include path, and
# linked into the module; the unit tests, the fuzz targets and later the dissector and
# mrc-perf link it alone.
function(build_lib)
  cmake_parse_arguments(L "" LIBNAME "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK;TEST_SOURCES" ${ARGN})
  set(protocol ${L_SOURCE_FILES})
  list(FILTER protocol INCLUDE REGEX "^(wire|core)/")
  set(adapters ${L_SOURCE_FILES})
  list(FILTER adapters EXCLUDE REGEX "^(wire|core)/")

  foreach(header ${L_HEADER_FILES}) # staged as <ns3/...>, as ns-3 does
    get_filename_component(name ${header} NAME)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/ns3/${name}
         CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n")
  endforeach()

  add_library(${L_LIBNAME}-protocol STATIC ${protocol})
  set_target_properties(${L_LIBNAME}-protocol PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set_property(TARGET ${L_LIBNAME}-protocol PROPERTY INCLUDE_DIRECTORIES "") # of the folder
  target_include_directories(${L_LIBNAME}-protocol PUBLIC wire core)
  target_link_libraries(${L_LIBNAME}-protocol PRIVATE mrc-warnings)

  add_library(lib${L_LIBNAME} SHARED ${adapters})
  set_target_properties(lib${L_LIBNAME} PROPERTIES OUTPUT_NAME ns3-${L_LIBNAME})
  target_include_directories(lib${L_LIBNAME} PUBLIC ${CMAKE_BINARY_DIR}/include model helper)
  target_compile_definitions(lib${L_LIBNAME} PUBLIC
    $<$<BOOL:${NS3_LOG}>:NS3_LOG_ENABLE> $<$<BOOL:${NS3_ASSERT}>:NS3_ASSERT_ENABLE>)
  target_link_libraries(lib${L_LIBNAME} PRIVATE mrc-warnings)
  # Private, or programs would hold a second copy of the protocol beside the library's.
  target_link_libraries(lib${L_LIBNAME} PRIVATE
    "$<LINK_LIBRARY:WHOLE_ARCHIVE,${L_LIBNAME}-protocol>")
  target_include_directories(lib${L_LIBNAME} PUBLIC wire core)
  foreach(library ${L_LIBRARIES_TO_LINK})
    string(REGEX REPLACE "^lib" "" module ${library})
    ns3_library(${module})
    target_link_libraries(lib${L_LIBNAME} PUBLIC ${library})
  endforeach()
endfunction()

function(build_lib_example)
  cmake_parse_arguments(E "" NAME "SOURCE_FILES;LIBRARIES_TO_LINK" ${ARGN})
  add_executable(${E_NAME} ${E_SOURCE_FILES})
  target_link_libraries(${E_NAME} PRIVATE ${E_LIBRARIES_TO_LINK} mrc-warnings)
  if(BUILD_TESTING)
    add_test(NAME example.${E_NAME} COMMAND ${E_NAME})
  endif()
endfunction()
