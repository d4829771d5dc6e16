//! Files that other build systems read: how a library is compiled, and how it is linked.

use crate::options::Platform;

/// A module of CMake that defines a target of the library's name.
pub(crate) fn cmake(name: &str, platform: Platform) -> String {
    let own = "${CMAKE_CURRENT_LIST_DIR}";
    let head = format!(
        "# The library {name}, made by `nesl build`:\n\
         #\n\
         #   include(FOLDER/{name}.cmake)\n\
         #   target_link_libraries(program PRIVATE {name})\n\
         include_guard(GLOBAL)\n"
    );
    let target = |ending: &str| {
        format!(
            "add_library({name} STATIC \"{own}/{name}.{ending}\")\n\
             target_include_directories({name} PUBLIC \"{own}\")\n"
        )
    };
    match platform {
        Platform::C => format!(
            "{head}enable_language(C)\nfind_package(OpenMP COMPONENTS C)\n{}\
             target_compile_options({name} PRIVATE $<$<CONFIG:>:-O2> $<$<C_COMPILER_ID:Clang>:-fwrapv>)\n\
             target_link_libraries({name} PUBLIC m)\n\
             if(OpenMP_C_FOUND)\n  target_link_libraries({name} PRIVATE OpenMP::OpenMP_C)\nendif()\n",
            target("c")
        ),
        Platform::Cuda => format!(
            "{head}enable_language(CUDA)\n{}\
             target_compile_options({name} PRIVATE -fmad=false)\n",
            target("cu")
        ),
    }
}

/// The file for pkg-config, for a library `libNAME` in the same folder.
pub(crate) fn pkg_config(name: &str, source: &str, platform: Platform) -> String {
    let libraries = match platform {
        Platform::C => "-fopenmp -lm",
        Platform::Cuda => "-lcudart -lstdc++ -lm",
    };
    format!(
        "folder=${{pcfiledir}}\n\n\
         Name: {name}\n\
         Description: functions of {source}, made by nesl build\n\
         Version: 0\n\
         Cflags: -I${{folder}}\n\
         Libs: -L${{folder}} -l{name} {libraries}\n"
    )
}
