package engine

import (
	"encoding/json"
	"math"
	"time"
)

// Level is how loud a log line is.
type Level uint32

const (
	// LevelDebug is for the plugin's author alone.
	LevelDebug Level = iota
	// LevelInfo is worth knowing.
	LevelInfo
	// LevelWarn says that something is odd.
	LevelWarn
	// LevelError says that something is wrong.
	LevelError
)

// Arrival is one scheduled start. In setup and teardown all numbers are 0, the client is 1, the rest is empty.
type Arrival struct {
	// Sequence is its position in the whole run's schedule, from 0.
	Sequence uint64
	// Index is its position within its own workload, from 0: "every fifth" is Index % 5.
	Index uint64
	// Seed seeds all randomness of the iteration: see [Context.Rng].
	Seed uint64
	// Client is the numbered identity it belongs to, from 1.
	Client uint64
	// WallTime is the recorded start of the run plus the due time, in nanoseconds since the Unix epoch.
	WallTime uint64
	// Phase is the name of the phase in which it is due.
	Phase string
	// Row is one row of the workload's data file, as a JSON object; empty where it has none.
	Row string
}

// Context is an iteration's access to the engine. Of no use in another iteration or in another goroutine.
type Context struct {
	it iteration
}

// Arrival gives the arrival this iteration belongs to.
func (c *Context) Arrival() *Arrival { return &c.it.arrival }

// Row reads the arrival's row of the workload's data file. It fails where there is none, or of another shape; the log
// says how.
func (c *Context) Row(into any) error {
	if c.it.arrival.Row == "" {
		return Failed("no data row")
	}
	if err := json.Unmarshal([]byte(c.it.arrival.Row), into); err != nil {
		c.Log(LevelDebug, "unexpected data row: "+err.Error())
		return Failed("unexpected data row")
	}
	return nil
}

// Rng is randomness of this iteration: each call starts the same sequence again.
func (c *Context) Rng() *Rng { return NewRng(c.it.arrival.Seed) }

// Get begins a GET; path is path and query as sent, and begins with `/`.
func (c *Context) Get(path string) *Request { return c.Request("GET", path) }

// Post begins a POST.
func (c *Context) Post(path string) *Request { return c.Request("POST", path) }

// Put begins a PUT.
func (c *Context) Put(path string) *Request { return c.Request("PUT", path) }

// Patch begins a PATCH.
func (c *Context) Patch(path string) *Request { return c.Request("PATCH", path) }

// Delete begins a DELETE.
func (c *Context) Delete(path string) *Request { return c.Request("DELETE", path) }

// Request begins a request of any method.
func (c *Context) Request(method, path string) *Request {
	r := &c.it.first.request
	if r.it != nil {
		r = &Request{}
	}
	r.it, r.method, r.path, r.read, r.most = &c.it, method, path, readWhole, defaultMaxBody
	return r
}

// Socket begins a WebSocket.
func (c *Context) Socket(path string) *SocketRequest {
	return &SocketRequest{it: &c.it, path: path}
}

// Wait waits this long, counted from the event being handled.
func (c *Context) Wait(d time.Duration) { c.Timer(d).Wait() }

// Timer starts a timer and goes on: to wait for several things at once, see [Any] and [Race].
func (c *Context) Timer(d time.Duration) *Timer {
	c.it.mustRun()
	timer := &Timer{it: &c.it, id: actWait(uint64(max(d, 0)))}
	c.it.timers = append(c.it.timers, timer)
	return timer
}

// Mark records a time: the moment the bytes of the event being handled were read, measured from since.
func (c *Context) Mark(mark Mark, since Since) {
	if !c.it.over {
		actMark(mark.id(), since.kind, since.exchange, 1)
	}
}

// Lap records a time since the mark of the same metric before it in this iteration, as weight samples of an equal part
// each (tokens that came in one piece); 0 counts nothing. The first one only sets the start.
func (c *Context) Lap(mark Mark, weight int) {
	if !c.it.over {
		actMark(mark.id(), sincePrevious, 0, uint32(min(max(weight, 0), math.MaxUint32)))
	}
}

// Count adds to a counter.
func (c *Context) Count(counter Counter, n uint64) {
	if !c.it.over {
		actCount(counter.id(), n)
	}
}

// Observe records a value, 0 to 2^53.
func (c *Context) Observe(observation Observation, value float64) {
	if !c.it.over {
		actObserve(observation.id(), value)
	}
}

// Check counts a check as passed or failed without deciding the iteration.
func (c *Context) Check(check Check, passed bool) {
	if !c.it.over {
		actCheck(check.id(), passed)
	}
}

// Share merges the keys of this object (a struct, a map) into what every later Configure is given. In setup only. Each
// text in it is masked wherever text leaves the engine. It fails where the value is no JSON object.
func (c *Context) Share(object any) error {
	text, err := json.Marshal(object)
	if err != nil || len(text) == 0 || text[0] != '{' {
		return Failed("what is shared is no JSON object")
	}
	if !c.it.over {
		actShare(string(text))
	}
	return nil
}

// Log writes a line for the plugin's author: shown by `engine try`, rate-limited in a run. At most 4 KiB.
func (c *Context) Log(level Level, text string) {
	if !c.it.over {
		actLog(level, text)
	}
}
