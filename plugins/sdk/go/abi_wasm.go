package engine

import (
	"runtime"
	"unsafe"
)

// The imports of wit/workload.wit, and what is handed over, laid out as the canonical ABI has it: pointers and lengths of
// 32 bits, which are not those of Go. Go's memory does not move, stacks apart, and one goroutine runs at a time: what lies
// in these variables stays valid until the import returns.

//go:wasmimport engine:workload/actions@0.1.0 register-blob
func importRegisterBlob(bytes unsafe.Pointer, length uint32) uint32

//go:wasmimport engine:workload/actions@0.1.0 send
func importSend(request unsafe.Pointer) uint32

//go:wasmimport engine:workload/actions@0.1.0 open
func importOpen(named, name, nameLength, elsewhere, authority, authorityLength, path, pathLength, fields, fieldsLength,
	subprotocols, subprotocolsLength, extensions, extensionsLength, limited uint32, timeout uint64) uint32

//go:wasmimport engine:workload/actions@0.1.0 write
func importWrite(exchange, kind uint32, bytes unsafe.Pointer, length uint32)

//go:wasmimport engine:workload/actions@0.1.0 close
func importClose(exchange, code uint32, reason string)

//go:wasmimport engine:workload/actions@0.1.0 cancel
func actCancel(exchange uint32)

//go:wasmimport engine:workload/actions@0.1.0 wait
func actWait(nanoseconds uint64) uint32

//go:wasmimport engine:workload/actions@0.1.0 clear
func actClear(timer uint32)

//go:wasmimport engine:workload/actions@0.1.0 mark
func importMark(metric, since, exchange, weight uint32)

//go:wasmimport engine:workload/actions@0.1.0 count
func actCount(metric uint32, n uint64)

//go:wasmimport engine:workload/actions@0.1.0 observe
func actObserve(metric uint32, value float64)

//go:wasmimport engine:workload/actions@0.1.0 check
func actCheck(metric uint32, passed bool)

//go:wasmimport engine:workload/actions@0.1.0 share
func actShare(json string)

//go:wasmimport engine:workload/actions@0.1.0 log
func importLog(level uint32, text string)

//go:wasmimport engine:workload/actions@0.1.0 finish
func importFinish(verdict, pointerOrExchange, length uint32)

//go:wasmimport wasi_snapshot_preview1 proc_exit
func procExit(code uint32)

type text32 struct{ pointer, length uint32 }

type option32 struct {
	some uint32
	text text32
}

func address(pointer unsafe.Pointer) uint32 { return uint32(uintptr(pointer)) }

func lower(s string) text32 {
	return text32{address(unsafe.Pointer(unsafe.StringData(s))), uint32(len(s))}
}

// lowerSome gives none for an empty text.
func lowerSome(s string) option32 {
	if s == "" {
		return option32{}
	}
	return option32{1, lower(s)}
}

type pair32 struct{ name, value text32 }

// The request as it is handed over, and the lists it points to; used again by the next one.
var (
	asked struct {
		name          option32
		method        text32
		authority     option32
		path          text32
		fields        text32
		body          option32
		read, most    uint32
		wanted        option32
		redirects     [2]uint32
		extensions    text32
		timeout       [2]uint32
		timeoutLength uint64
	}
	fieldTable, extensionTable []pair32
	textTable                  []text32
)

func lowerFields(fields []Field, table *[]pair32) text32 {
	list := (*table)[:0]
	for i := range fields {
		list = append(list, pair32{lower(fields[i].Name), lower(fields[i].Value)})
	}
	*table = list
	return text32{address(unsafe.Pointer(unsafe.SliceData(list))), uint32(len(list))}
}

func lowerTexts(texts []string) text32 {
	textTable = textTable[:0]
	for _, text := range texts {
		textTable = append(textTable, lower(text))
	}
	return text32{address(unsafe.Pointer(unsafe.SliceData(textTable))), uint32(len(textTable))}
}

func actSend(r *Request) uint32 {
	a := &asked
	a.name = lowerSome(r.name)
	a.method = lower(r.method)
	a.authority = lowerSome(r.authority)
	a.path = lower(r.path)
	a.fields = lowerFields(r.fields, &fieldTable)
	a.body = option32{some: r.bodyKind}
	switch r.bodyKind {
	case bodyBytes:
		a.body.text = text32{address(unsafe.Pointer(unsafe.SliceData(r.body))), uint32(len(r.body))}
	case bodyBlob:
		a.body.text.pointer = uint32(r.blob)
	}
	a.read, a.most = r.read, r.most
	a.wanted = option32{}
	if r.wanted != nil {
		a.wanted = option32{1, lowerTexts(*r.wanted)}
	}
	a.redirects = [2]uint32{}
	if r.limitsRedirects {
		a.redirects = [2]uint32{1, uint32(r.redirects)}
	}
	a.extensions = lowerFields(r.extensions, &extensionTable)
	a.timeout[0], a.timeoutLength = 0, 0
	if r.timeout > 0 {
		a.timeout[0], a.timeoutLength = 1, uint64(r.timeout)
	}
	exchange := importSend(unsafe.Pointer(a))
	runtime.KeepAlive(r)
	return exchange
}

func actOpen(r *SocketRequest) uint32 {
	name, authority, path := lowerSome(r.name), lowerSome(r.authority), lower(r.path)
	fields, extensions := lowerFields(r.fields, &fieldTable), lowerFields(r.extensions, &extensionTable)
	subprotocols := lowerTexts(r.subprotocols)
	var limited uint32
	if r.timeout > 0 {
		limited = 1
	}
	exchange := importOpen(name.some, name.text.pointer, name.text.length,
		authority.some, authority.text.pointer, authority.text.length, path.pointer, path.length,
		fields.pointer, fields.length, subprotocols.pointer, subprotocols.length,
		extensions.pointer, extensions.length, limited, uint64(max(r.timeout, 0)))
	runtime.KeepAlive(r)
	return exchange
}

func actRegisterBlob(bytes []byte) uint32 {
	return importRegisterBlob(unsafe.Pointer(unsafe.SliceData(bytes)), uint32(len(bytes)))
}

func actWriteText(exchange uint32, text string) {
	importWrite(exchange, 0, unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

func actWriteBinary(exchange uint32, bytes []byte) {
	importWrite(exchange, 1, unsafe.Pointer(unsafe.SliceData(bytes)), uint32(len(bytes)))
}

func actClose(exchange, code uint32, reason string) { importClose(exchange, code, reason) }

func actMark(metric, since uint32, exchange Exchange, weight uint32) {
	importMark(metric, since, uint32(exchange), weight)
}

func actLog(level Level, text string) { importLog(uint32(level), text) }

func actFinish(v verdict) {
	switch v.kind {
	case verdictFailed:
		finishText = v.text // on the heap: a stack may move between here and there
		text := lower(finishText)
		importFinish(v.kind, text.pointer, text.length)
	default:
		importFinish(v.kind, uint32(v.exchange), 0)
	}
}

var finishText string
