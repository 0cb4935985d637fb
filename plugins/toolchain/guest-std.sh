#!/bin/bash
# guest-std.sh DIR
# Makes DIR/env: a Rust toolchain for wasm32-unknown-unknown on a Debian or Ubuntu whose rustup cannot fetch targets.
# `cargo xtask guests` runs it where it is needed. Where `rustup target list --installed` already has
# wasm32-unknown-unknown it is not; elsewhere `rustup target add wasm32-unknown-unknown` is the simpler way.
# Nothing is installed: the packages are unpacked below DIR.
set -euo pipefail
dir=$(realpath -m "${1:?folder}")
if [ ! -e "$dir/sysroot/.done" ]; then
  mkdir -p "$dir/debs"
  cd "$dir/debs"
  apt-get -qq update || true
  # Debian's compiler for web engines and the sources of its standard library: these two match, rustup's and this std don't.
  ver=$(apt-cache policy rustc-web | sed -n 's/.*Candidate: //p')
  [ -n "$ver" ] && [ "$ver" != "(none)" ] || { echo "guest-std.sh: this system's packages have no rustc-web" >&2; exit 1; }
  short=$(echo "$ver" | cut -d. -f1,2)
  llvm=$(apt-cache depends rustc-web "libstd-rust-web-$short" | grep -oE 'libllvm[0-9]+' | sort -u | head -1)
  apt-get -qq download rustc-web rust-web-src "libstd-rust-web-$short" libstd-rust-web-dev "$llvm"
  for deb in *.deb; do dpkg -x "$deb" "$dir/root"; done
  cat >"$dir/rustc" <<W
#!/bin/sh
export LD_LIBRARY_PATH="$dir/root/usr/lib/$(uname -m)-linux-gnu:$dir/root/usr/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
exec "$dir/root/usr/bin/rustc" "\$@"
W
  chmod +x "$dir/rustc"
  lld=$(find "$(rustc --print sysroot)" -name rust-lld -type f | head -1)
  [ -n "$lld" ] || { echo "guest-std.sh: the installed Rust has no rust-lld" >&2; exit 1; }
  mkdir -p "$dir/std/src"
  cd "$dir/std"
  # What an earlier attempt left would stand beside what this one makes.
  rm -rf target
  : >src/lib.rs
  printf '[package]\nname = "std-for-guests"\nversion = "0.0.0"\nedition = "2021"\n[profile.release]\nopt-level = "s"\nlto = false\ncodegen-units = 1\npanic = "abort"\ndebug = 0\n[workspace]\n' >Cargo.toml
  export RUSTC="$dir/rustc" RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=target CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$lld"
  unset CARGO_ENCODED_RUSTFLAGS
  build=(-Z build-std=std,panic_abort --target wasm32-unknown-unknown)
  cargo fetch "${build[@]}"
  # The remapping keeps this machine's paths out of the panic texts that end up in components.
  RUSTFLAGS="-Cembed-bitcode=yes --remap-path-prefix=$dir/root/usr/lib/rustlib/src/rust=/rust"
  for registry in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    RUSTFLAGS+=" --remap-path-prefix=$registry=/crates"
  done
  export RUSTFLAGS
  cargo build --release "${build[@]}"
  lib="$dir/sysroot/lib/rustlib/wasm32-unknown-unknown/lib"
  rm -rf "$dir/sysroot"
  mkdir -p "$lib" "$dir/sysroot/bin"
  ln -s "$dir/root/usr/lib/rustlib/$(uname -m)-unknown-linux-gnu" "$dir/sysroot/lib/rustlib/"
  cp target/wasm32-unknown-unknown/release/deps/*.rlib "$lib/"
  rm -f "$lib"/libstd_for_guests-*.rlib
  cat >"$dir/env" <<W
export RUSTC="$dir/rustc"
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="$lld"
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--sysroot $dir/sysroot"
W
  touch "$dir/sysroot/.done"
fi
echo "source $dir/env"
