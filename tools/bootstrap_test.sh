#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests of what ./kernelpro says and does before there is a program: tools/bootstrap_test.sh
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

expect() { # name, text that must be there, output
  if [[ $3 == *"$2"* ]]; then return; fi
  failures=$((failures + 1))
  printf '%s: expected\n  %s\nin\n%s\n' "$1" "$2" "$3"
}

# A toolkit of version $2 (CUDA_VERSION) in folder $1.
toolkit() {
  mkdir -p "$1/include" "$1/lib64"
  echo "#define CUDA_VERSION $2" >"$1/include/cuda.h"
  touch "$1/include/cuda_fp16.h" "$1/lib64/libnvrtc.so.13"
}

. tools/packages.sh
. tools/cuda.sh

expect "an installed package is not missing" "[]" "[$(missing_packages dpkg)]"
expect "an unknown package is missing" "[no-such-package]" "[$(missing_packages dpkg no-such-package)]"
expect "an ordinary user gets the one command" "sudo apt-get install -y a b" "$(
  as_root() { false; }
  install_packages a b 2>&1
)"
expect "root is told what is installed" "missing: a b" "$(
  as_root() { true; }
  apt-get() { echo "apt-get $*" >>"$folder/calls"; }
  install_packages a b 2>&1
)"
expect "root's packages are installed" "--no-install-recommends a b" "$(cat "$folder/calls")"

toolkit "$folder/new" 12040
toolkit "$folder/old" 12030
toolkit "$folder/part" 13000 && rm "$folder/part/lib64/libnvrtc.so.13"
expect "12.4 is new enough" "[]" "[$(cuda_fault "$folder/new")]"
expect "12.3 is too old" "CUDA 12.3 is older than 12.4" "$(cuda_fault "$folder/old")"
expect "a toolkit needs NVRTC" "no libnvrtc.so" "$(cuda_fault "$folder/part")"
expect "CUDA_HOME comes first" "$folder/new" "$(CUDA_HOME=$folder/new cuda_folders | head -n 1)"
expect "without CUDA the packages are named" "cuda-nvrtc-13-0" "$(
  cuda_folders() { echo "$folder/none"; }
  apt-cache() { false; }
  require_cuda 2>&1
)"

mkdir -p "$folder/tree/build/release/src/cli" && cp kernelpro "$folder/tree/"
printf '#!/bin/sh\necho "ran: $*"\n' >"$folder/tree/build/release/src/cli/kernelpro"
chmod +x "$folder/tree/build/release/src/cli/kernelpro"
expect "arguments reach the program" "ran: eval a b" \
  "$(cd / && KERNELPRO_SKIP_BUILD=1 "$folder/tree/kernelpro" eval a b 2>&1)"
ln -s "$folder/tree/kernelpro" "$folder/link"
expect "a link to the script works" "ran: show" "$(KERNELPRO_SKIP_BUILD=1 "$folder/link" show 2>&1)"
rm "$folder/tree/build/release/src/cli/kernelpro"
expect "a missing program is named" "There is no $folder/tree/build/release" \
  "$(KERNELPRO_SKIP_BUILD=1 "$folder/tree/kernelpro" 2>&1)"

echo "tools/bootstrap_test.sh: $failures failures"
exit $((failures != 0))
