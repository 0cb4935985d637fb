//go:build !wasip1

package engine

import (
	"fmt"
	"mime"
	"strings"
	"time"
)

// played is an exchange as the scripted target sees it.
type played struct {
	read    uint32
	steps   []step
	written []Message // by the plugin, and not yet expected by a step
	due     time.Duration
	waits   bool // for a message of the plugin
	status  int
	reason  string
	ended   bool
}

// schedule has the next step count from now.
func (p *played) schedule(now time.Duration) {
	p.waits = false
	if len(p.steps) > 0 {
		p.due = now + p.steps[0].after
	}
}

// stage is one iteration being played.
type stage struct {
	script    *Script
	it        *iteration
	now       time.Duration
	exchanges []*played
	timers    map[uint32]time.Duration
	run       *Run
	finished  *verdict
}

// play runs one flow to its end, or until nothing more can come.
func (s *Script) play(w *workload, arrival Arrival, flow func(*Context) error) *Run {
	recorder.exchanges, recorder.timers, recorder.actions = 0, 0, nil
	st := &stage{script: s, timers: map[uint32]time.Duration{}, run: &Run{metrics: w.metrics}}
	st.it = begin(arrival, flow)
	st.apply()
	for st.finished == nil && st.step() {
	}
	st.it.drop() // as the engine does it; nothing is asked for any more
	st.apply()
	st.run.outcome, st.run.took = st.outcome(), st.now
	return st.run
}

// step does what is due first; of several at one moment exchanges before timers, in order. False where there is nothing.
func (st *stage) step() bool {
	var exchange *played
	at, timer, due := 0, int64(-1), time.Duration(-1)
	for i, e := range st.exchanges {
		if !e.ended && !e.waits && len(e.steps) > 0 && (due < 0 || e.due < due) {
			exchange, at, due = e, i, e.due
		}
	}
	for id, fires := range st.timers {
		if due < 0 || fires < due || timer >= 0 && fires == due && int64(id) < timer {
			exchange, timer, due = nil, int64(id), fires
		}
	}
	if due < 0 {
		return false
	}
	st.now = due
	if exchange == nil {
		delete(st.timers, uint32(timer))
		st.it.fired(uint32(timer))
	} else {
		st.advance(exchange, uint32(at))
	}
	st.apply()
	return true
}

// advance plays an exchange's next step.
func (st *stage) advance(e *played, id uint32) {
	next := e.steps[0]
	if next.what == expects {
		if len(e.written) == 0 {
			e.waits = true
			return
		}
		if got := e.written[0]; got.Text != next.expect.Text || got.IsText() != next.expect.IsText() {
			panic(fmt.Sprintf("the socket expected %q, the plugin wrote %q", next.expect, got))
		}
		e.written = e.written[1:]
	}
	e.steps = e.steps[1:]
	e.schedule(st.now)
	st.deliver(e, id, next)
}

func (st *stage) deliver(e *played, id uint32, s step) {
	whole := e.read == readWhole || e.read == readCount
	switch s.what {
	case replies:
		if e.read == readSocket {
			panic("a WebSocket is scripted with Open or Fail, not with Reply")
		}
		e.status, e.ended = s.status, true
		if whole {
			body := s.text
			if e.read == readCount {
				body = ""
			}
			st.it.onResponse(id, s.status, s.fields, []byte(body), uint64(len(s.text)))
			return
		}
		st.it.onHead(id, s.status, s.fields)
		st.apply()
		if pieces := cutBody(e.read, s.text, isJSON(s.fields)); st.finished == nil && len(pieces) > 0 {
			st.it.onItems(id, pieces)
			st.apply()
		}
		if st.finished == nil {
			st.it.onEnd(id, nil)
		}
	case sendsHead:
		if whole || e.read == readSocket {
			panic("the plugin does not read this answer in pieces: script it with Reply or Open, not with Stream")
		}
		e.status = s.status
		st.it.onHead(id, s.status, s.fields)
	case opens:
		if e.read != readSocket {
			panic("a request is scripted with Reply or Stream, not with Open")
		}
		st.it.onOpen(id, s.text, nil)
	case sendsPieces:
		for _, p := range s.pieces {
			if !fits(e.read, p.kind) {
				panic(fmt.Sprintf("%q does not come in the way that the plugin reads", p.text))
			}
		}
		if e.read != readHead {
			st.it.onItems(id, s.pieces)
		}
	case ends:
		e.ended = true
		st.it.onEnd(id, nil)
	case closes:
		e.ended = true
		st.it.onEnd(id, &CloseInfo{s.code, s.text})
	case fails:
		e.ended, e.reason = true, s.text
		st.it.onFailure(id, s.text, "scripted")
	}
}

// fits says whether such a piece comes where an answer is read so. An answer in JSON to a request for events comes as
// chunks, and whoever reads the head alone gets none.
func fits(read uint32, kind pieceKind) bool {
	switch read {
	case readEvents:
		return kind == pieceEvent || kind == pieceChunk
	case readLines:
		return kind == pieceLine
	case readChunks:
		return kind == pieceChunk
	case readSocket:
		return kind == pieceText || kind == pieceBinary
	}
	return read == readHead
}

// cutBody gives a whole body as a stream's pieces, where the script wrote it in one.
func cutBody(read uint32, body string, json bool) []piece {
	switch {
	case body == "":
		return nil
	case read == readChunks, read == readEvents && json:
		return []piece{{kind: pieceChunk, text: body}}
	case read != readLines:
		return nil
	}
	var pieces []piece
	for line := range strings.Lines(body) {
		if line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); line != "" {
			pieces = append(pieces, piece{kind: pieceLine, text: line})
		}
	}
	return pieces
}

func isJSON(fields []Field) bool {
	e := exchange{fields: fields}
	kind, _, _ := mime.ParseMediaType(e.Field("content-type"))
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// apply books what the last call asked for.
func (st *stage) apply() {
	actions := recorder.actions
	recorder.actions = nil
	for i := range actions {
		a := &actions[i]
		switch a.kind {
		case didSend:
			e := &played{read: a.sent.read, steps: st.script.answer(a.sent)}
			e.schedule(st.now)
			st.exchanges = append(st.exchanges, e)
			st.run.requests = append(st.run.requests, a.sent)
		case didWrite:
			e := st.exchanges[a.id]
			e.written = append(e.written, a.message)
			if e.waits {
				e.waits, e.due = false, st.now
			}
		case didClose:
			if e := st.exchanges[a.id]; !e.ended {
				e.steps = []step{{what: closes, code: a.close.Code, text: a.close.Reason}}
				e.schedule(st.now)
			}
		case didCancel:
			st.exchanges[a.id].ended = true
		case didWait:
			st.timers[a.id] = st.now + time.Duration(a.n)
		case didClear:
			delete(st.timers, a.id)
		case didFinish:
			st.finished = &a.verdict
		}
		st.run.actions = append(st.run.actions, timed{st.now, a})
	}
}

// outcome is the verdict in the words of a report.
func (st *stage) outcome() string {
	if st.finished == nil {
		return "plugin_stalled"
	}
	switch v := st.finished; v.kind {
	case verdictOk:
		return "ok"
	case verdictCancelled:
		return "cancelled"
	case verdictFailed:
		return "check: " + v.text
	default:
		e := st.exchanges[v.exchange]
		if e.reason == "" && e.status != 0 {
			return "http_" + decimal(e.status)
		}
		if e.reason == "" {
			return "plugin_misuse"
		}
		return e.reason
	}
}
