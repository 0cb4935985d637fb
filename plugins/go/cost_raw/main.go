// One exchange, written against the canonical ABI of `wit/workload.wit` without the SDK: the least that an iteration of a
// Go plugin costs. `cost_sdk` does the same through the SDK.
//
// Each iteration sends a POST of 300 bytes with five fields. The answer is right when it is a 200 whose `content-type` is
// JSON; then the time since the request was asked for is marked.
package main

import (
	"bytes"
	"strings"
	"unsafe"
)

// The request's fields, as many as a client of an authenticated API sends.
var fields = [5][2]string{
	{"accept", "application/json"},
	{"content-type", "application/json"},
	{"authorization", "Bearer 0123456789abcdef0123456789abcdef"},
	{"x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"},
	{"user-agent", "cost/0.1"},
}

const (
	bodyBytes = 300
	// The most bytes of an answer.
	most = 16 << 20
	// Position of the mark in the description.
	answered = 0
)

// What need not be made for each iteration: the request as the interface has it in memory, and what it points to.
var (
	body       = bytes.Repeat([]byte("x"), bodyBytes)
	fieldTable [len(fields)][4]uint32
	asked      struct {
		name       option
		method     text
		authority  option
		path       text
		fields     list
		body       struct{ kind, pointer, length uint32 }
		read       struct{ kind, most uint32 }
		wanted     option
		redirects  struct{ some, most uint32 }
		extensions list
		timeout    struct{ some, value uint64 }
	}
)

type text struct{ pointer, length uint32 }
type list = text
type option struct{ some, pointer, length uint32 }

func textOf(s string) text {
	return text{uint32(uintptr(unsafe.Pointer(unsafe.StringData(s)))), uint32(len(s))}
}

//go:wasmimport engine:workload/actions@0.1.0 send
func send(request unsafe.Pointer) uint32

//go:wasmimport engine:workload/actions@0.1.0 mark
func mark(metric, since, exchange, weight uint32)

//go:wasmimport engine:workload/actions@0.1.0 finish
func finish(verdict, a, b uint32)

//go:wasmimport [export]engine:workload/workload@0.1.0 [resource-new]plan
func newPlan(rep uint32) uint32

//go:wasmimport [export]engine:workload/workload@0.1.0 [resource-new]iteration
func newIteration(rep uint32) uint32

// Cases of the verdict.
const (
	verdictOk = iota
	verdictCancelled
	verdictFailed
	verdictFailedBy
)

// Room for what the engine hands over: used again by the next call, for nothing of it is kept.
var (
	room   [64 << 10]byte
	used   uint32
	larger [][]byte
)

//go:wasmexport cabi_realloc
func realloc(old unsafe.Pointer, oldSize, align, size uint32) unsafe.Pointer {
	at := (used + align - 1) &^ (align - 1)
	if size > uint32(len(room))-at {
		block := make([]byte, size)
		larger = append(larger, block)
		return unsafe.Pointer(unsafe.SliceData(block))
	}
	used = at + size
	return unsafe.Pointer(&room[at])
}

func release() { used, larger = 0, nil }

var description struct {
	name, version, summary text
	metrics                list
	schema                 text
}

var metric struct {
	name          text
	kind          uint32
	unit, summary text
}

//go:wasmexport engine:workload/workload@0.1.0#describe
func describe() unsafe.Pointer {
	description.name = textOf("cost_raw_go")
	description.version = textOf("0.1.0")
	description.summary = textOf("Measures what an iteration costs the engine: one exchange, with raw bindings")
	metric.name, metric.summary = textOf("answered"), textOf("From asking to the answer.")
	description.metrics = list{uint32(uintptr(unsafe.Pointer(&metric))), 1}
	description.schema = textOf(`{"type": "object", "additionalProperties": false}`)
	return unsafe.Pointer(&description)
}

var configured struct{ refused, a, b uint32 }

//go:wasmexport engine:workload/workload@0.1.0#[static]plan.configure
func configure(config *byte, length, _, _, _ uint32) unsafe.Pointer {
	defer release()
	if strings.Join(strings.Fields(unsafe.String(config, length)), "") != "{}" {
		refusal := textOf("config: this plugin has none")
		configured.refused, configured.a, configured.b = 1, refusal.pointer, refusal.length
		return unsafe.Pointer(&configured)
	}
	for i, field := range fields {
		name, value := textOf(field[0]), textOf(field[1])
		fieldTable[i] = [4]uint32{name.pointer, name.length, value.pointer, value.length}
	}
	name := textOf("cost")
	asked.name = option{1, name.pointer, name.length}
	asked.method = textOf("POST")
	asked.path = textOf("/api/v1/cost?limit=20")
	asked.fields = list{uint32(uintptr(unsafe.Pointer(&fieldTable))), uint32(len(fieldTable))}
	asked.body.kind = 1
	asked.body.pointer, asked.body.length = uint32(uintptr(unsafe.Pointer(&body[0]))), bodyBytes
	asked.read.kind, asked.read.most = 1, most
	configured.a = newPlan(1)
	return unsafe.Pointer(&configured)
}

var none [2]uint32

//go:wasmexport engine:workload/workload@0.1.0#[method]plan.setup
func setup(_ uint32) unsafe.Pointer { return unsafe.Pointer(&none) }

//go:wasmexport engine:workload/workload@0.1.0#[method]plan.teardown
func teardown(_ uint32) unsafe.Pointer { return unsafe.Pointer(&none) }

// The exchange is the engine's to remember: there is one, and everything about it comes by its id.
//
//go:wasmexport engine:workload/workload@0.1.0#[method]plan.start
func start(_ uint32, _, _, _, _, _ uint64, _, _, _, _, _ uint32) uint32 {
	release()
	send(unsafe.Pointer(&asked))
	return newIteration(1)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-response
func onResponse(_, exchange, status uint32, fields unsafe.Pointer, count uint32, _, _ uint32, _ uint64) {
	if status != 200 {
		finish(verdictFailedBy, exchange, 0)
	} else if !isJSON(fields, count) {
		text := textOf("unexpected content type")
		finish(verdictFailed, text.pointer, text.length)
	} else {
		mark(answered, 1, exchange, 1)
		finish(verdictOk, 0, 0)
	}
	release()
}

// isJSON looks for the content type among the fields as they lie in memory.
func isJSON(fields unsafe.Pointer, count uint32) bool {
	for _, field := range unsafe.Slice((*[4]uint32)(fields), count) {
		if at(field[0], field[1]) == "content-type" && at(field[2], field[3]) == "application/json" {
			return true
		}
	}
	return false
}

func at(pointer, length uint32) string {
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(nil), pointer)), length)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-failure
func onFailure(_, exchange, _, _, _, _ uint32) {
	finish(verdictFailedBy, exchange, 0)
	release()
}

// Nothing that this plugin asks for ends in one of these.
//
//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-head
func onHead(_, _, _, _, _ uint32) { release() }

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-open
func onOpen(_, _, _, _, _, _ uint32) { release() }

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-items
func onItems(_, _, _, _ uint32) { release() }

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-end
func onEnd(_, _, _, _, _, _ uint32) { release() }

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-timer
func onTimer(_, _ uint32) {}

func main() {}
