#!/bin/sh
# Writes plugin.c and plugin.h anew from the interface; needed only where wit/workload.wit has changed:
#   cargo install wit-bindgen-cli --version 0.61.1 --no-default-features --features c
#   plugins/sdk/c/generate.sh
# The version is that of the engine's other bindings.
set -eu
cd "$(dirname "$0")"
wit-bindgen c ../../../wit --world plugin --no-object-file
# `engine plugin build` puts the interface's types into the component: no object file with them need be linked.
sed -i '/^\/\/ Ensure that the \*_component_type.o/,$d' plugin.c
