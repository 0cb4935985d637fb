module engine

// 1.24 is the first version whose WebAssembly modules export functions (`go:wasmexport`, `-buildmode=c-shared`).
go 1.24
