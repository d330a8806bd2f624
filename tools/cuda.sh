# SPDX-License-Identifier: Apache-2.0
# `require_cuda`: finds the CUDA toolkit where src/build/toolchain.cc looks too, or says which
# packages bring what is missing. Sourced by kernelpro after tools/packages.sh.

cuda_oldest=12040 # CUDA_VERSION of 12.4
cuda_packages=(cuda-nvrtc-13-0 cuda-nvrtc-dev-13-0 cuda-cudart-dev-13-0 cuda-cccl-13-0 cuda-crt-13-0
  cuda-cupti-13-0 cuda-cupti-dev-13-0)

# Folders in which a toolkit may be, best first.
cuda_folders() {
  local nvcc
  [[ -n ${CUDA_HOME:-} ]] && echo "$CUDA_HOME"
  [[ -n ${CUDA_PATH:-} ]] && echo "$CUDA_PATH"
  nvcc=$(command -v nvcc) && dirname "$(dirname "$(readlink -f "$nvcc")")"
  echo /usr/local/cuda
  compgen -G '/usr/local/cuda-*' | sort -rV
  echo /opt/cuda
}

# Prints nothing when the toolkit in folder $1 can be used, else what is wrong with it.
cuda_fault() {
  [[ -d $1 ]] || { echo "no such folder"; return; }
  local version
  version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$1/include/cuda.h" 2>/dev/null)
  if [[ -z $version ]]; then
    echo "no include/cuda.h"
  elif ((version < cuda_oldest)); then
    echo "CUDA $((version / 1000)).$((version % 1000 / 10)) is older than 12.4"
  elif ! compgen -G "$1/lib*/libnvrtc.so*" >/dev/null &&
    ! compgen -G "$1/targets/*/lib/libnvrtc.so*" >/dev/null; then
    echo "no libnvrtc.so"
  elif [[ ! -e $1/include/cuda_fp16.h ]]; then
    echo "no include/cuda_fp16.h"
  fi
}

require_cuda() {
  local folder fault tried=()
  while read -r folder; do
    fault=$(cuda_fault "$folder")
    [[ -z $fault ]] && return 0
    tried+=("  $folder: $fault")
  done < <(cuda_folders)
  echo "KernelPro needs libnvrtc and the headers of the CUDA toolkit, 12.4 or later. Looked at:" >&2
  printf '%s\n' "${tried[@]}" >&2
  if [[ -n $(apt-cache show --no-all-versions "${cuda_packages[0]}" 2>/dev/null) ]]; then
    install_packages "${cuda_packages[@]}"
    return
  fi
  cat >&2 <<TEXT
Set CUDA_HOME to a toolkit, or add NVIDIA's package repository for this distribution (see the CUDA
Installation Guide for Linux) and install these packages, or cuda-toolkit-13-0 as a whole:

    sudo apt-get install -y ${cuda_packages[*]}

TEXT
  return 1
}
