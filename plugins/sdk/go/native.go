//go:build !wasip1

package engine

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// Natively the actions of the plugin under test are recorded, as long as a [Script] runs: one at a time.

// Sent is a request as the plugin asked for it; a WebSocket's handshake too, with the method `WS`.
type Sent struct {
	// Name is the series it belongs to; empty where the plugin named none.
	Name string
	// Method is the method; `WS` for a WebSocket.
	Method string
	// Authority is another host than the target's.
	Authority string
	// Path is path and query as sent.
	Path string
	// Fields are the request fields in order.
	Fields []Field
	// Body is what it carries; that of the blob where it sends one.
	Body []byte
	// SendsBlob says that it is one.
	SendsBlob bool
	// MaxBody is the most bytes the answer's body may have; 0 where it is not handed over whole.
	MaxBody uint32
	// CountsBody says that the answer's body is only counted.
	CountsBody bool
	// WantedFields are the response fields asked for; nil for all.
	WantedFields []string
	// FollowRedirects is the most redirects to follow; negative where not said.
	FollowRedirects int
	// Subprotocols are those a WebSocket offers.
	Subprotocols []string
	// Extensions are settings by name.
	Extensions []Field
	// Timeout is the exchange's own time limit; 0 where it has none.
	Timeout time.Duration

	read uint32
}

// Field is the first field of this name, in any capitalisation; empty where there is none.
func (s *Sent) Field(name string) string {
	e := exchange{fields: s.Fields}
	return e.Field(name)
}

// Cases of action.
type actionKind int

const (
	didSend actionKind = iota
	didWrite
	didClose
	didCancel
	didWait
	didClear
	didMark
	didCount
	didObserve
	didCheck
	didShare
	didLog
	didFinish
)

// action is one, as it was asked for; what it has beside kind and id depends on the kind.
type action struct {
	kind    actionKind
	id      uint32 // exchange, timer or metric
	sent    *Sent
	message Message
	close   CloseInfo
	since   Since
	weight  uint32
	n       uint64
	value   float64
	passed  bool
	level   Level
	text    string
	verdict verdict
}

type recording struct {
	actions           []action
	blobs             [][]byte
	exchanges, timers uint32
}

var recorder *recording

func record(a action) {
	if recorder == nil {
		panic("an action outside of a script: natively, run the plugin with engine.NewScript")
	}
	recorder.actions = append(recorder.actions, a)
}

// next gives out a number, and counts on.
func next(counter *uint32) uint32 {
	*counter++
	return *counter - 1
}

func recordSent(sent *Sent) uint32 {
	record(action{kind: didSend, sent: sent})
	return next(&recorder.exchanges)
}

func actSend(r *Request) uint32 {
	sent := &Sent{
		Name: r.name, Method: r.method, Authority: r.authority, Path: r.path, Fields: slices.Clone(r.fields),
		FollowRedirects: -1, Extensions: r.extensions, Timeout: r.timeout, read: r.read,
		MaxBody: r.most, CountsBody: r.read == readCount,
	}
	switch r.bodyKind {
	case bodyBytes:
		sent.Body = slices.Clone(r.body)
	case bodyBlob:
		if int(r.blob) >= len(recorder.blobs) {
			panic(fmt.Sprintf("blob %d was never registered", r.blob))
		}
		sent.Body, sent.SendsBlob = recorder.blobs[r.blob], true
	}
	if r.wanted != nil {
		sent.WantedFields = append([]string{}, *r.wanted...)
	}
	if r.limitsRedirects {
		sent.FollowRedirects = r.redirects
	}
	return recordSent(sent)
}

// readSocket stands for the read mode where there is none.
const readSocket = readCount + 1

func actOpen(r *SocketRequest) uint32 {
	return recordSent(&Sent{
		Name: r.name, Method: "WS", Authority: r.authority, Path: r.path, Fields: r.fields, FollowRedirects: -1,
		Subprotocols: r.subprotocols, Extensions: r.extensions, Timeout: r.timeout, read: readSocket,
	})
}

func actRegisterBlob(bytes []byte) uint32 {
	if recorder == nil {
		panic("a blob is registered outside of Configure")
	}
	recorder.blobs = append(recorder.blobs, slices.Clone(bytes))
	return uint32(len(recorder.blobs) - 1)
}

func actWriteText(exchange uint32, text string) {
	record(action{kind: didWrite, id: exchange, message: Message{Text: text}})
}

func actWriteBinary(exchange uint32, bytes []byte) {
	record(action{kind: didWrite, id: exchange, message: Message{Binary: append([]byte{}, bytes...)}})
}

func actClose(exchange, code uint32, reason string) {
	record(action{kind: didClose, id: exchange, close: CloseInfo{int(code), reason}})
}

func actCancel(exchange uint32) { record(action{kind: didCancel, id: exchange}) }

func actWait(nanoseconds uint64) uint32 {
	record(action{kind: didWait, id: recorder.timers, n: nanoseconds})
	return next(&recorder.timers)
}

func actClear(timer uint32) { record(action{kind: didClear, id: timer}) }

func actMark(metric, since uint32, exchange Exchange, weight uint32) {
	record(action{kind: didMark, id: metric, since: Since{since, exchange}, weight: weight})
}

func actCount(metric uint32, n uint64) { record(action{kind: didCount, id: metric, n: n}) }

func actObserve(metric uint32, value float64) {
	record(action{kind: didObserve, id: metric, value: value})
}

func actCheck(metric uint32, passed bool) {
	record(action{kind: didCheck, id: metric, passed: passed})
}

func actShare(json string) { record(action{kind: didShare, text: json}) }

func actLog(level Level, text string) { record(action{kind: didLog, level: level, text: text}) }

func actFinish(v verdict) { record(action{kind: didFinish, verdict: v}) }

// panicked gives a panic on to the test, with where it came from: the coroutine's stack is not the test's.
func panicked(cause any) {
	panic(fmt.Sprintf("%s\n\n%s", report(cause), debug.Stack()))
}
