package engine

import (
	"runtime"
	"runtime/debug"
	"unsafe"
)

// The exports of wit/workload.wit.

const heapFromStart = 4 << 20

func init() {
	// The engine gives an instance 64 MiB by default; Go is asked to stay below.
	debug.SetMemoryLimit(40 << 20)
	// Go first collects when its heap has 4 MiB. Taking that much at once has the memory stay as it is from then on; pages
	// that are not written cost the machine nothing.
	runtime.KeepAlive(make([]byte, heapFromStart))
}

// What the engine hands over is written into blocks of which texts are cut without being copied again: a block is let go
// when the last text cut of it is. Small, so that a text that is kept keeps little else.
const (
	blockSize = 4 << 10
	// What is larger has a block of its own.
	largest = 1 << 10
)

var (
	block     []byte
	blockUsed uint32
	// blocks are those of the call that is being handed over: until it begins nothing else holds them.
	blocks [][]byte
)

//go:wasmexport cabi_realloc
func cabiRealloc(old unsafe.Pointer, oldSize, align, size uint32) unsafe.Pointer {
	if oldSize > 0 {
		grown := make([]byte, size)
		copy(grown, unsafe.Slice((*byte)(old), oldSize))
		blocks = append(blocks, grown)
		return unsafe.Pointer(unsafe.SliceData(grown))
	}
	if size > largest {
		own := make([]byte, size)
		blocks = append(blocks, own)
		return unsafe.Pointer(unsafe.SliceData(own))
	}
	at := (blockUsed + align - 1) &^ (align - 1)
	if at+size > uint32(len(block)) {
		if block != nil {
			blocks = append(blocks, block)
		}
		block, at = make([]byte, blockSize), 0
	}
	blockUsed = at + size
	return unsafe.Pointer(unsafe.SliceData(block[at:]))
}

// release lets go of the blocks of a call once all of it is cut.
func release() {
	if len(blocks) > 0 {
		clear(blocks)
		blocks = blocks[:0]
	}
}

// lift gives the text at an address of 32 bits.
func lift(pointer, length uint32) string {
	if length == 0 {
		return ""
	}
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(nil), pointer)), length)
}

func liftBytes(pointer, length uint32) []byte {
	if length == 0 {
		return nil
	}
	bytes := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), pointer)), length)
	return bytes[:length:length]
}

func liftList[T any](pointer, length uint32) []T {
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(nil), pointer)), length)
}

func liftFields(pointer, length uint32) []Field {
	if length == 0 {
		return nil
	}
	fields := make([]Field, length)
	for i, pair := range liftList[pair32](pointer, length) {
		fields[i] = Field{lift(pair.name.pointer, pair.name.length), lift(pair.value.pointer, pair.value.length)}
	}
	return fields
}

// What the engine has handles to, by number. The freed numbers are given out again.
type table[T any] struct {
	items []*T
	free  []uint32
}

func (t *table[T]) put(item *T) uint32 {
	if last := len(t.free) - 1; last >= 0 {
		at := t.free[last]
		t.free = t.free[:last]
		t.items[at] = item
		return at
	}
	t.items = append(t.items, item)
	return uint32(len(t.items) - 1)
}

func (t *table[T]) take(at uint32) *T {
	item := t.items[at]
	t.items[at] = nil
	t.free = append(t.free, at)
	return item
}

var (
	plans      table[plan]
	iterations table[iteration]
)

//go:wasmimport [export]engine:workload/workload@0.1.0 [resource-new]plan
func newPlan(rep uint32) uint32

//go:wasmimport [export]engine:workload/workload@0.1.0 [resource-new]iteration
func newIteration(rep uint32) uint32

type metric32 struct {
	name          text32
	kind          uint32
	unit, summary text32
}

// Results that do not fit into one value; valid until the next call. held keeps what they point to.
var (
	description struct {
		name, version, summary text32
		metrics, schema        text32
	}
	result struct{ kind, first, second uint32 }
	held   struct {
		metrics []metric32
		text    string
	}
)

//go:wasmexport engine:workload/workload@0.1.0#describe
func exportDescribe() unsafe.Pointer {
	defer guard()
	w := theWorkload()
	held.metrics = make([]metric32, len(w.metrics))
	for i, m := range w.metrics {
		held.metrics[i] = metric32{lower(m.name), m.kind, lower(m.unit), lower(m.summary)}
	}
	held.text = w.schema()
	d := &description
	d.name, d.version, d.summary, d.schema = lower(w.name), lower(w.version), lower(w.summary), lower(held.text)
	d.metrics = text32{address(unsafe.Pointer(unsafe.SliceData(held.metrics))), uint32(len(held.metrics))}
	return unsafe.Pointer(d)
}

func theWorkload() *workload {
	if exported == nil {
		panic("the program exports no plugin: call engine.Export from init")
	}
	return exported
}

//go:wasmexport engine:workload/workload@0.1.0#[static]plan.configure
func exportConfigure(config, configLength, some, shared, sharedLength uint32) unsafe.Pointer {
	defer guard()
	var given *string
	if some != 0 {
		text := lift(shared, sharedLength)
		given = &text
	}
	made, err := theWorkload().configure(lift(config, configLength), given)
	release()
	if err != nil {
		held.text = err.Error()
		refusal := lower(held.text)
		result.kind, result.first, result.second = 1, refusal.pointer, refusal.length
	} else {
		result.kind, result.first = 0, newPlan(plans.put(made))
	}
	return unsafe.Pointer(&result)
}

//go:wasmexport engine:workload/workload@0.1.0#[dtor]plan
func exportDropPlan(rep uint32) { plans.take(rep) }

//go:wasmexport engine:workload/workload@0.1.0#[method]plan.setup
func exportSetup(rep uint32) unsafe.Pointer { return once(plans.items[rep].setup) }

//go:wasmexport engine:workload/workload@0.1.0#[method]plan.teardown
func exportTeardown(rep uint32) unsafe.Pointer { return once(plans.items[rep].teardown) }

func once(flow func(*Context) error) unsafe.Pointer {
	result.kind = 0
	if flow != nil {
		handle := newIteration(iterations.put(begin(Arrival{Client: 1}, flow)))
		result.kind, result.first = 1, handle
	}
	return unsafe.Pointer(&result)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]plan.start
func exportStart(rep uint32, sequence, index, seed, client, wallTime uint64,
	phase, phaseLength, some, row, rowLength uint32) uint32 {
	arrival := Arrival{
		Sequence: sequence, Index: index, Seed: seed, Client: client, WallTime: wallTime,
		Phase: lift(phase, phaseLength),
	}
	if some != 0 {
		arrival.Row = lift(row, rowLength)
	}
	release()
	return newIteration(iterations.put(begin(arrival, plans.items[rep].iterate)))
}

//go:wasmexport engine:workload/workload@0.1.0#[dtor]iteration
func exportDropIteration(rep uint32) { iterations.take(rep).drop() }

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-response
func exportOnResponse(rep, exchange, status, fields, fieldsLength, body, bodyLength uint32, size uint64) {
	lifted, bytes := liftFields(fields, fieldsLength), liftBytes(body, bodyLength)
	release()
	iterations.items[rep].onResponse(exchange, int(status), lifted, bytes, size)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-head
func exportOnHead(rep, exchange, status, fields, fieldsLength uint32) {
	lifted := liftFields(fields, fieldsLength)
	release()
	iterations.items[rep].onHead(exchange, int(status), lifted)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-open
func exportOnOpen(rep, exchange, subprotocol, subprotocolLength, fields, fieldsLength uint32) {
	lifted, chosen := liftFields(fields, fieldsLength), lift(subprotocol, subprotocolLength)
	release()
	iterations.items[rep].onOpen(exchange, chosen, lifted)
}

// item32 is an item of a stream; its words after the kind depend on that.
type item32 struct {
	kind  uint32
	words [6]uint32
}

// pieces is the hand-over of one read, used again by the next.
var pieces []piece

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-items
func exportOnItems(rep, exchange, items, itemsLength uint32) {
	list := liftList[item32](items, itemsLength)
	pieces = pieces[:0]
	for i := range list {
		w := &list[i].words
		switch list[i].kind & 0xff {
		case 0:
			pieces = append(pieces, piece{pieceEvent, lift(w[2], w[3]), lift(w[0], w[1]), lift(w[4], w[5])})
		case 1:
			kind := pieceText
			if w[0]&0xff == 1 {
				kind = pieceBinary
			}
			pieces = append(pieces, piece{kind: kind, text: lift(w[1], w[2])})
		case 2:
			pieces = append(pieces, piece{kind: pieceLine, text: lift(w[0], w[1])})
		case 3:
			pieces = append(pieces, piece{kind: pieceChunk, text: lift(w[0], w[1])})
		}
	}
	release()
	iterations.items[rep].onItems(exchange, pieces)
	clear(pieces)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-end
func exportOnEnd(rep, exchange, end, code, reason, reasonLength uint32) {
	var info *CloseInfo
	if end == 1 {
		info = &CloseInfo{int(code), lift(reason, reasonLength)}
	}
	release()
	iterations.items[rep].onEnd(exchange, info)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-failure
func exportOnFailure(rep, exchange, reason, reasonLength, detail, detailLength uint32) {
	why, seen := lift(reason, reasonLength), lift(detail, detailLength)
	release()
	iterations.items[rep].onFailure(exchange, why, seen)
}

//go:wasmexport engine:workload/workload@0.1.0#[method]iteration.on-timer
func exportOnTimer(rep, timer uint32) { iterations.items[rep].fired(timer) }
