//go:build !wasip1

package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Script is a scripted target and the arrival that meets it: it runs a plugin natively, in virtual time and without a
// network.
//
//	script := engine.NewScript().
//		On("POST", "/jobs").Reply(202, "").
//		On("GET", "/jobs/1").Once().Reply(200, "running").
//		On("GET", "/jobs/1").Reply(200, "done")
//	run := script.Run(plugin, `{}`)
//
// Answers are tried in the order written; the first whose method and path fit and that is not used up is taken. A request
// that none fits is a panic that shows both.
type Script struct {
	answers []*Answer
	arrival Arrival
	shared  *string
}

// latency is how long an answer takes where nothing else is said.
const latency = time.Millisecond

// NewScript has nothing scripted yet; the arrival is the first one of client 1, with seed 1 and in a phase `test`.
func NewScript() *Script {
	return &Script{arrival: Arrival{Seed: 1, Client: 1, WallTime: 1_700_000_000_000_000_000, Phase: "test"}}
}

// On begins the answer to requests of this method (`WS` for a WebSocket) and path. A path without `?` fits any query.
func (s *Script) On(method, path string) *Answer {
	return &Answer{script: s, method: method, path: path, uses: -1, after: latency}
}

// Arrival changes the arrival.
func (s *Script) Arrival(change func(*Arrival)) *Script { change(&s.arrival); return s }

// Shared is what setup has shared, as JSON: [Run.Shared].
func (s *Script) Shared(json string) *Script { s.shared = &json; return s }

// Configure says whether a configuration is accepted: nil, or the refusal that a user would see.
func (s *Script) Configure(plugin Workload, config string) error {
	_, err := s.begin(plugin.workload(), config)
	s.end()
	return err
}

// ConfigSchema is what the plugin says of its configuration: its JSON Schema.
func ConfigSchema(plugin Workload) map[string]any {
	var schema map[string]any
	if err := json.Unmarshal([]byte(plugin.workload().schema()), &schema); err != nil {
		panic(err)
	}
	return schema
}

// Run runs one iteration of a plugin with this configuration, as JSON. It panics where the plugin refuses its
// configuration or asks for what is not scripted.
func (s *Script) Run(plugin Workload, config string) *Run { return s.RunMany(plugin, config, 1)[0] }

// RunMany runs this many iterations one after the other on one plan; index, sequence and seed count on.
func (s *Script) RunMany(plugin Workload, config string, iterations int) []*Run {
	w := plugin.workload()
	defer s.end()
	plan := s.mustBegin(w, config)
	runs := make([]*Run, iterations)
	for k := range runs {
		arrival := s.arrival
		arrival.Sequence += uint64(k)
		arrival.Index += uint64(k)
		arrival.Seed += uint64(k)
		runs[k] = s.play(w, arrival, plan.iterate)
	}
	return runs
}

// Setup runs the setup flow; nil where the plugin has none.
func (s *Script) Setup(plugin Workload, config string) *Run {
	return s.once(plugin, config, func(p *plan) func(*Context) error { return p.setup })
}

// Teardown runs the teardown flow; nil where the plugin has none.
func (s *Script) Teardown(plugin Workload, config string) *Run {
	return s.once(plugin, config, func(p *plan) func(*Context) error { return p.teardown })
}

func (s *Script) once(plugin Workload, config string, which func(*plan) func(*Context) error) *Run {
	w := plugin.workload()
	defer s.end()
	flow := which(s.mustBegin(w, config))
	if flow == nil {
		return nil
	}
	return s.play(w, Arrival{Client: 1}, flow)
}

// one script runs at a time, in parallel tests too.
var one sync.Mutex

func (s *Script) begin(w *workload, config string) (*plan, error) {
	one.Lock()
	recorder = &recording{}
	for _, answer := range s.answers {
		answer.used = 0
	}
	return w.configure(config, s.shared)
}

func (s *Script) mustBegin(w *workload, config string) *plan {
	plan, err := s.begin(w, config)
	if err != nil {
		panic("the plugin refuses its configuration: " + err.Error())
	}
	return plan
}

func (s *Script) end() {
	recorder, running = nil, nil
	one.Unlock()
}

// answer takes the answer to a request.
func (s *Script) answer(sent *Sent) []step {
	for _, answer := range s.answers {
		path := sent.Path
		if !strings.Contains(answer.path, "?") {
			path, _, _ = strings.Cut(path, "?")
		}
		if answer.method == sent.Method && answer.path == path && answer.used != answer.uses {
			answer.used++
			return answer.steps
		}
	}
	scripted := "\n  nothing"
	for at, answer := range s.answers {
		if at == 0 {
			scripted = ""
		}
		usedUp := ""
		if answer.used == answer.uses {
			usedUp = " (used up)"
		}
		scripted += fmt.Sprintf("\n  %s %s%s", answer.method, answer.path, usedUp)
	}
	panic(fmt.Sprintf("unexpected request\n  %s %s\nscripted are, in this order:%s", sent.Method, sent.Path, scripted))
}

// Answer is one being written. Nothing is scripted before one of the methods that give the [Script] back.
type Answer struct {
	script       *Script
	method, path string
	uses, used   int
	after        time.Duration
	fields       []Field
	steps        []step
}

// step: after a delay, something happens.
type step struct {
	after  time.Duration
	what   stepKind
	status int
	fields []Field
	text   string // body, subprotocol, reason
	pieces []piece
	expect Message
	code   int
}

type stepKind int

const (
	replies stepKind = iota
	sendsHead
	opens
	sendsPieces
	expects
	ends
	closes
	fails
)

// Once: used for one request only; the next one takes a later answer.
func (a *Answer) Once() *Answer { return a.Times(1) }

// Times: used for so many requests.
func (a *Answer) Times(uses int) *Answer { a.uses = uses; return a }

// After: comes this long after the request; 1 ms where not said.
func (a *Answer) After(delay time.Duration) *Answer { a.after = delay; return a }

// Field adds a response field. All are handed over, whichever the plugin asked for.
func (a *Answer) Field(name, value string) *Answer {
	a.fields = append(a.fields, Field{strings.ToLower(name), value})
	return a
}

// Reply answers with this status and body.
func (a *Answer) Reply(status int, body string) *Script {
	return a.step(step{what: replies, status: status, fields: a.fields, text: body}).done()
}

// ReplyJSON answers with this status and the value as JSON.
func (a *Answer) ReplyJSON(status int, value any) *Script {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return a.Field("content-type", "application/json").Reply(status, string(text))
}

// Fail fails with the engine's reason, such as `timeout_total` or `refused`.
func (a *Answer) Fail(reason string) *Script { return a.step(step{what: fails, text: reason}).done() }

// Stream answers with this status and a body in pieces.
func (a *Answer) Stream(status int) *StreamScript {
	return &StreamScript{a.step(step{what: sendsHead, status: status, fields: a.fields})}
}

// Open opens the WebSocket, with this subprotocol or an empty one.
func (a *Answer) Open(subprotocol string) *SocketScript {
	return &SocketScript{a.step(step{what: opens, text: subprotocol})}
}

// The delay counts once: what follows in the same answer comes at the same moment unless it says otherwise.
func (a *Answer) step(s step) *Answer {
	s.after, a.after = a.after, 0
	a.steps = append(a.steps, s)
	return a
}

func (a *Answer) done() *Script {
	a.script.answers = append(a.script.answers, a)
	return a.script
}

// StreamScript is a body in pieces being written. Each call is one read off the wire.
type StreamScript struct{ answer *Answer }

// Pause: the next piece comes this long after the one before it.
func (s *StreamScript) Pause(pause time.Duration) *StreamScript { s.answer.after += pause; return s }

// Events: server-sent events of type `message`, all in one read.
func (s *StreamScript) Events(data ...string) *StreamScript {
	return s.pieces(data, func(text string) piece { return piece{pieceEvent, text, "message", ""} })
}

// Event: one server-sent event of this type.
func (s *StreamScript) Event(event, data string) *StreamScript {
	return s.pieces([]string{data}, func(text string) piece { return piece{pieceEvent, text, event, ""} })
}

// Lines: lines, all in one read.
func (s *StreamScript) Lines(lines ...string) *StreamScript {
	return s.pieces(lines, func(text string) piece { return piece{kind: pieceLine, text: text} })
}

// Chunk: bytes.
func (s *StreamScript) Chunk(bytes string) *StreamScript {
	return s.pieces([]string{bytes}, func(text string) piece { return piece{kind: pieceChunk, text: text} })
}

func (s *StreamScript) pieces(texts []string, of func(string) piece) *StreamScript {
	made := make([]piece, len(texts))
	for at, text := range texts {
		made[at] = of(text)
	}
	s.answer.step(step{what: sendsPieces, pieces: made})
	return s
}

// End: the answer is complete.
func (s *StreamScript) End() *Script { return s.answer.step(step{what: ends}).done() }

// Fail: the exchange fails here.
func (s *StreamScript) Fail(reason string) *Script { return s.answer.Fail(reason) }

// SocketScript is a WebSocket's course being written.
type SocketScript struct{ answer *Answer }

// Pause: what follows comes this much later.
func (s *SocketScript) Pause(pause time.Duration) *SocketScript { s.answer.after += pause; return s }

// ExpectText waits until the plugin has written this text; another message is a panic that shows both.
func (s *SocketScript) ExpectText(text string) *SocketScript {
	s.answer.step(step{what: expects, expect: Message{Text: text}})
	return s
}

// Texts: the peer sends text messages that come in one read.
func (s *SocketScript) Texts(texts ...string) *SocketScript {
	made := make([]piece, len(texts))
	for at, text := range texts {
		made[at] = piece{kind: pieceText, text: text}
	}
	s.answer.step(step{what: sendsPieces, pieces: made})
	return s
}

// Binary: the peer sends a binary message.
func (s *SocketScript) Binary(bytes string) *SocketScript {
	s.answer.step(step{what: sendsPieces, pieces: []piece{{kind: pieceBinary, text: bytes}}})
	return s
}

// Close: the peer closes.
func (s *SocketScript) Close(code int, reason string) *Script {
	return s.answer.step(step{what: closes, code: code, text: reason}).done()
}

// UntilClosed: the peer says nothing more and answers the plugin's close.
func (s *SocketScript) UntilClosed() *Script { return s.answer.done() }

// Fail: the exchange fails here.
func (s *SocketScript) Fail(reason string) *Script { return s.answer.Fail(reason) }
