#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the PTX of the test kernels again. Needs nvcc; the tests do not.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
  nvcc -ptx -arch=sm_90 -lineinfo "$source" -o - |
    sed -e "s|\"$PWD/|\"|" -e 's|"/usr/local/cuda/bin/../targets/x86_64-linux/|"cuda/|' \
      > "${source%.cu}.ptx"
done
