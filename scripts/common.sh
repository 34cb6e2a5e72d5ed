# What the other scripts share: installing what is missing, and building. To be sourced.
# shellcheck shell=bash disable=SC2034

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian's packages, by purpose.
build_packages=(g++ cmake ninja-build pkg-config libeigen3-dev librandom123-dev
  libhdf5-dev libmatio-dev libzip-dev zlib1g-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libsvm-dev liblinear-dev)
test_packages=(libopenmpi-dev openmpi-bin libgtest-dev libboost-dev librsvg2-bin octave python3 python3-dev python3-venv)
bench_packages=(libopenmpi-dev openmpi-bin libbenchmark-dev libsleef-dev python3 python3-dev python3-venv)
format_packages=(clang-format shellcheck python3 python3-venv)

# need PACKAGE…: installs those that are missing, or says which they are and stops.
need() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system: the following must be there by other means: $*" >&2
    return
  fi
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -v; then
      echo "Missing: ${missing[*]}" >&2
      echo "You may not install packages here. Ask an administrator to run" >&2
      echo "  apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# need_python ENVIRONMENT REQUIREMENTS: Python packages, in an environment of their own.
need_python() {
  local environment=$1 wanted=$2
  if ! cmp -s "$wanted" "$environment/installed.txt"; then
    echo "Installing the Python packages of $wanted into $environment" >&2
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
    cp "$wanted" "$environment/installed.txt"
  fi
}

# build PRESET TARGET… [-- CMAKE_OPTION…]
build() {
  local preset=$1 targets=() log
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    targets+=(--target "$1")
    shift
  done
  [ $# -gt 0 ] && shift
  [ "${CI:-}" = true ] && set -- -DM3LAK_WERROR=ON -DM3LAK_TOGETHER=ON "$@"
  mkdir -p build
  log=build/configure-$preset.log
  if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
  cmake --build "build/$preset" "${targets[@]}" >&2
}
