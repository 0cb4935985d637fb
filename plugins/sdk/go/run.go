//go:build !wasip1

package engine

import (
	"encoding/json"
	"time"
)

// Run is a scripted iteration as it went.
type Run struct {
	outcome  string
	took     time.Duration
	actions  []timed
	requests []*Sent
	metrics  []metric
}

// timed is an action, and when it was asked for.
type timed struct {
	at time.Duration
	*action
}

// Outcome is `ok`, `cancelled` or the reason of the failure a report would count it under: `check: <text>`,
// `http_<status>`, `timeout_total` …, `plugin_stalled` where the flow waits for something that cannot come.
func (r *Run) Outcome() string { return r.outcome }

// Took is how long it took, in virtual time.
func (r *Run) Took() time.Duration { return r.took }

// Requests are every request and WebSocket in the order asked: the position is its exchange.
func (r *Run) Requests() []*Sent { return r.requests }

// RequestLines are method and path of every request in order, such as `GET /agents`.
func (r *Run) RequestLines() []string {
	lines := make([]string, len(r.requests))
	for at, sent := range r.requests {
		lines[at] = sent.Method + " " + sent.Path
	}
	return lines
}

// Marked is a recorded mark.
type Marked struct {
	// Name is the metric's.
	Name string
	// Since is from where it is measured: [Due], [Asked], or neither for a lap.
	Since Since
	// Weight is as how many samples it counts.
	Weight int
	// At is when the event being handled arrived, from the iteration's start.
	At time.Duration
}

// Marks are every mark and lap in order.
func (r *Run) Marks() []Marked {
	return pick(r, didMark, "", func(a timed) Marked {
		return Marked{r.metrics[a.id].name, a.since, int(a.weight), a.at}
	})
}

// Counted is the sum of a counter.
func (r *Run) Counted(name string) (sum uint64) {
	for _, n := range pick(r, didCount, name, func(a timed) uint64 { return a.n }) {
		sum += n
	}
	return sum
}

// Observed are the values of an observation in order.
func (r *Run) Observed(name string) []float64 {
	return pick(r, didObserve, name, func(a timed) float64 { return a.value })
}

// Checked are the outcomes of a check in order.
func (r *Run) Checked(name string) []bool {
	return pick(r, didCheck, name, func(a timed) bool { return a.passed })
}

// Logged is a line of the log.
type Logged struct {
	Level Level
	Text  string
}

// Logs are the log's lines in order.
func (r *Run) Logs() []Logged {
	return pick(r, didLog, "", func(a timed) Logged { return Logged{a.level, a.text} })
}

// Shared is what setup has shared, merged, as JSON: give it to [Script.Shared].
func (r *Run) Shared() string {
	merged := map[string]any{}
	for _, text := range pick(r, didShare, "", func(a timed) string { return a.text }) {
		if err := json.Unmarshal([]byte(text), &merged); err != nil {
			panic(err)
		}
	}
	text, err := json.Marshal(merged)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Written are the messages written to a WebSocket in order.
func (r *Run) Written(exchange Exchange) (messages []Message) {
	for _, a := range r.actions {
		if a.kind == didWrite && a.id == uint32(exchange) {
			messages = append(messages, a.message)
		}
	}
	return messages
}

// Closed is the close the plugin started on a WebSocket; nil where it did not.
func (r *Run) Closed(exchange Exchange) *CloseInfo {
	for _, a := range r.actions {
		if a.kind == didClose && a.id == uint32(exchange) {
			return &a.close
		}
	}
	return nil
}

// Cancelled are the exchanges the plugin gave up while it went on.
func (r *Run) Cancelled() []Exchange {
	return pick(r, didCancel, "", func(a timed) Exchange { return Exchange(a.id) })
}

// pick gives what is asked for of the actions of this kind; of those of one metric where it is named.
func pick[T any](r *Run, kind actionKind, metric string, give func(timed) T) (picked []T) {
	for _, a := range r.actions {
		if a.kind == kind && (metric == "" || r.metrics[a.id].name == metric) {
			picked = append(picked, give(a))
		}
	}
	return picked
}
