# SPDX-License-Identifier: Apache-2.0
# Debian packages by purpose, and `require_packages PURPOSE...`: what is missing is installed when
# we are root, otherwise the one command is printed. Sourced by kernelpro, tools/test and .ci/run.

packages_build=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libfmt-dev libexpected-dev
  libsqlite3-dev libtomlplusplus-dev libvalijson-dev libxxhash-dev liblua5.4-dev libtree-sitter-dev libseccomp-dev
  libcurl4-openssl-dev libboost-math-dev)
packages_test=(libgtest-dev python3)
packages_check=(git python3 clang-format g++)
packages_bench=(libbenchmark-dev)
packages_torch=(python3-torch)  # 722 MB with what it needs: only tests with the real PyTorch want it

# Prints those of the named packages that dpkg does not know as installed.
missing_packages() {
  local installed
  installed=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^ii *//p' | tr '\n' ' ')"
  for package; do
    [[ $installed == *" $package "* ]] || echo "$package"
  done
}

as_root() { ((EUID == 0)); }

# Installs the named packages as root after announcing them; otherwise says how, and fails.
install_packages() {
  (($#)) || return 0
  echo "These packages are missing: $*" >&2
  if ! as_root; then
    printf 'Install them, then call again:\n\n    sudo apt-get install -y %s\n\n' "$*" >&2
    return 1
  fi
  echo "Installing them with apt-get." >&2
  local log
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "apt-get failed; its output is in $log" >&2
    return 1
  fi
  rm -f "$log"
}

# require_packages PURPOSE...: build, test, check, bench, torch. Elsewhere than on Debian, CMake finds out.
require_packages() {
  local wanted=() purpose list
  for purpose; do
    list="packages_$purpose[@]"
    wanted+=("${!list}")
  done
  command -v dpkg-query >/dev/null || return 0
  local missing
  mapfile -t missing < <(missing_packages "${wanted[@]}" | sort -u)
  # npm comes with the packages of Node.js itself or as a package of its own: any will do.
  if [[ " $* " == *" build "* ]] && ! command -v npm >/dev/null && [[ ! -e node_modules/tree-sitter-cuda/src/parser.c ]]; then
    missing+=(npm)
  fi
  install_packages "${missing[@]}"
}
