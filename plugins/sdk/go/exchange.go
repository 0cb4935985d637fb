package engine

import "strings"

// Field is a header field. Its value's bytes stand for U+0000 to U+00FF, one to one.
type Field struct{ Name, Value string }

// exchange is a request or WebSocket as far as it has come.
type exchange struct {
	it     *iteration
	id     Exchange
	status int
	// expected are the statuses that are right; any where there are none.
	expected []int
	fields   []Field
	// headed: status and fields are there, or the WebSocket is open.
	headed bool
	// seen: the flow knows that it is.
	seen bool
	// ended: nothing more comes.
	ended  bool
	failed *ExchangeFailed
	// body and size are those of an answer that comes whole.
	body []byte
	size uint64
	// sink takes what comes in pieces; nil where the answer comes whole.
	sink sink
}

// sink is a stream or socket.
type sink interface {
	push(pieces []piece)
	closed(CloseInfo)
}

// piece is one decoded piece of a stream: the item of the interface.
type piece struct {
	kind pieceKind
	// text is a line, a chunk, a message, or an event's data; event and id are the event's.
	text, event, id string
}

type pieceKind uint32

const (
	pieceEvent pieceKind = iota
	pieceText
	pieceBinary
	pieceLine
	pieceChunk
)

// Exchange names it, for marks.
func (e *exchange) Exchange() Exchange { return e.id }

// Status is the status of the answer, 100 to 999; 0 before it has come.
func (e *exchange) Status() int { return e.status }

// Fields are all wanted response fields in order; names in lower case.
func (e *exchange) Fields() []Field { return e.fields }

// Field is the first response field of this name, in any capitalisation; empty where there is none.
func (e *exchange) Field(name string) string {
	for i := range e.fields {
		if f := &e.fields[i]; len(f.Name) == len(name) && strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// ExpectStatus is nil where the status is one of these; else an [*ExchangeFailed]: the engine's `http_<status>`.
func (e *exchange) ExpectStatus(expected ...int) error {
	for _, status := range expected {
		if status == e.status {
			return nil
		}
	}
	return e.Failed()
}

// asExpected holds the status to what the request has said of it.
func (e *exchange) asExpected() error {
	if len(e.expected) == 0 {
		return nil
	}
	return e.ExpectStatus(e.expected...)
}

// ExpectStatusWithin is [exchange.ExpectStatus] for a range, both ends included.
func (e *exchange) ExpectStatusWithin(first, last int) error {
	if first <= e.status && e.status <= last {
		return nil
	}
	return e.Failed()
}

// Failed is the error that blames this exchange, with the engine's reason: `http_<status>`.
func (e *exchange) Failed() error {
	if e.failed != nil {
		return e.failed
	}
	return &ExchangeFailed{e.id, "http_" + decimal(e.status), "not an expected status"}
}

// Cancel gives the exchange up, which is no failure. No effect on one that has ended.
func (e *exchange) Cancel() {
	if e.ended {
		return
	}
	e.ended = true
	e.it.forget(e)
	if !e.it.over {
		actCancel(uint32(e.id))
	}
}

// open waits until the head is there.
func (e *exchange) open() error {
	for !e.headed && !e.ended {
		e.it.pause(e)
	}
	e.seen = true
	if !e.headed {
		return e.failure()
	}
	return e.asExpected()
}

// failure is why nothing more comes of an exchange that has ended otherwise than it should.
func (e *exchange) failure() error {
	if e.failed != nil {
		return e.failed
	}
	return Failed("an exchange that was cancelled is waited for")
}

// decimal writes a status.
func decimal(status int) string {
	return string([]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)})
}

// The events of the interface. What nobody looks at any more is let go.

func (it *iteration) onResponse(id uint32, status int, fields []Field, body []byte, size uint64) {
	e := it.find(id)
	if e == nil {
		return
	}
	e.status, e.fields, e.body, e.size = status, fields, body, size
	e.headed, e.ended = true, true
	it.forget(e)
	it.arrived(e)
}

func (it *iteration) onHead(id uint32, status int, fields []Field) {
	if e := it.find(id); e != nil {
		e.status, e.fields, e.headed = status, fields, true
		it.arrived(e)
	}
}

func (it *iteration) onItems(id uint32, pieces []piece) {
	if e := it.find(id); e != nil && e.sink != nil {
		e.sink.push(pieces)
		it.arrived(e)
	}
}

func (it *iteration) onEnd(id uint32, info *CloseInfo) {
	if e := it.find(id); e != nil {
		e.ended = true
		if info != nil && e.sink != nil {
			e.sink.closed(*info)
		}
		it.forget(e)
		it.arrived(e)
	}
}

func (it *iteration) onFailure(id uint32, reason, detail string) {
	if e := it.find(id); e != nil {
		e.ended = true
		e.failed = &ExchangeFailed{e.id, reason, detail}
		it.forget(e)
		it.arrived(e)
	}
}
