#!/usr/bin/env bash
# ziglang 0.14.1 and 0.17.1, the C compiler from PyPI: `zig cc -fsyntax-only` of a right file fails with
# exit status 1, because zig then looks for the object file that nobody has made. gcc and clang exit
# with 0. `zig cc -E` works, and refuses unknown options as the others do.
#
# So a build system that asks a compiler for the options that it takes by -fsyntax-only finds that
# zig takes none.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ZIG_GLOBAL_CACHE_DIR=$work/cache
echo 'int x;' > "$work/right.c"
for version in 0.14.1 0.17.1; do
  python3 -m venv "$work/$version"
  "$work/$version/bin/pip" install --quiet --disable-pip-version-check "ziglang==$version"
  zig=("$work/$version/bin/python" -m ziglang cc)
  status() { "$@" > /dev/null 2> "$work/said" && echo 0 || echo $?; }
  echo "$version: syntax $(status "${zig[@]}" -fsyntax-only "$work/right.c"), missing file $(grep -c FileNotFound "$work/said")"
  echo "$version: preprocess $(status "${zig[@]}" -E "$work/right.c"), unknown option $(status "${zig[@]}" -fnosuch=3 -E "$work/right.c")"
done > "$work/seen"

cat "$work/seen"
diff "$work/seen" - << 'EXPECTED'
0.14.1: syntax 1, missing file 1
0.14.1: preprocess 0, unknown option 1
0.17.1: syntax 1, missing file 1
0.17.1: preprocess 0, unknown option 1
EXPECTED
