package engine

import (
	"iter"
	"sort"
)

// iteration is the state between two events: what its flow has asked for, and the coroutine that the flow runs on.
type iteration struct {
	arrival Arrival
	// exchanges are the open ones, rising by their id.
	exchanges []*exchange
	timers    []*Timer
	// first is room for the first request and for the exchanges open at once where they are few: most iterations need no
	// other.
	first struct {
		taken   bool
		request Request
		sending Sending
		open    [2]*exchange
	}
	// runner is nil once the flow has ended.
	runner *runner
	// waitsFor is the exchange the paused flow waits for; nil where it waits for several things, or for a timer.
	waitsFor *exchange
	// over: nothing may be asked for any more.
	over bool
}

// runner is a coroutine that runs flows, one after the other: a new one costs more than all else of an iteration.
type runner struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	ctx    *Context
	flow   func(*Context) error
}

// idle are runners without a flow; running is the iteration whose flow runs now.
var (
	idle    []*runner
	running *iteration
)

// begin runs a flow up to its first wait.
func begin(arrival Arrival, flow func(*Context) error) *iteration {
	ctx := &Context{iteration{arrival: arrival}}
	ctx.it.exchanges = ctx.it.first.open[:0]
	var r *runner
	if last := len(idle) - 1; last >= 0 {
		r, idle = idle[last], idle[:last]
	} else {
		r = newRunner()
	}
	r.ctx, r.flow = ctx, flow
	ctx.it.runner = r
	ctx.it.resume()
	return &ctx.it
}

func newRunner() *runner {
	r := &runner{}
	r.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		r.yield = yield
		for {
			r.run()
			r.ctx, r.flow = nil, nil
			idle = append(idle, r)
			yield(struct{}{})
		}
	})
	return r
}

// gone is the panic that unwinds a flow whose iteration the engine has dropped.
type gone struct{}

// run runs one flow to its end.
func (r *runner) run() {
	it, ended := &r.ctx.it, false
	defer func() {
		it.runner, it.exchanges, it.timers = nil, nil, nil
		if ended {
			return
		}
		cause := recover()
		if _, dropped := cause.(gone); dropped {
			return
		}
		panicked(cause)
	}()
	err := r.flow(r.ctx)
	ended = true
	if !it.over {
		it.over = true
		v := verdictOf(err)
		actFinish(v)
	}
}

// resume lets the flow go on until it waits again or ends.
func (it *iteration) resume() {
	running = it
	it.runner.resume()
	running = nil
}

// pause waits for the next event of this exchange, or of any, where it is nil. Who calls it looks at what came, and calls
// it again where that is not what is waited for: there a flow whose iteration is dropped is unwound.
func (it *iteration) pause(e *exchange) {
	it.mustRun()
	it.waitsFor = e
	it.runner.yield(struct{}{})
}

// mustRun holds a flow to its own context, and stops one that goes on after its end.
func (it *iteration) mustRun() {
	if it.over {
		panic(gone{})
	}
	if it != running {
		panic("a Context is of no use outside of its own iteration")
	}
}

// drop ends an iteration that the engine lets go of; a flow that still waits is unwound, its deferred functions run.
func (it *iteration) drop() {
	it.over = true
	if it.runner != nil {
		it.resume()
	}
}

// lease remembers an exchange just asked for.
func (it *iteration) lease(e *exchange, id uint32) {
	e.it, e.id = it, Exchange(id)
	it.exchanges = append(it.exchanges, e)
}

// find gives an open exchange; nil where nobody looks at it any more.
func (it *iteration) find(id uint32) *exchange {
	if at := it.place(Exchange(id)); at >= 0 {
		return it.exchanges[at]
	}
	return nil
}

// forget lets go of an exchange: it has ended, or was given up.
func (it *iteration) forget(e *exchange) {
	if at := it.place(e.id); at >= 0 {
		it.exchanges = append(it.exchanges[:at], it.exchanges[at+1:]...)
	}
}

// place is where an open exchange is in the list; negative where it is not.
func (it *iteration) place(id Exchange) int {
	list := it.exchanges
	if len(list) > 0 && list[0].id == id {
		return 0
	}
	at := sort.Search(len(list), func(i int) bool { return list[i].id >= id })
	if at < len(list) && list[at].id == id {
		return at
	}
	return -1
}

// arrived goes on with the flow where it waits for this exchange.
func (it *iteration) arrived(e *exchange) {
	if it.runner != nil && (it.waitsFor == nil || it.waitsFor == e) {
		it.resume()
	}
}

// fired goes on with the flow, where the timer was not taken back.
func (it *iteration) fired(id uint32) {
	for at, timer := range it.timers {
		if timer.id == id {
			timer.fired = true
			it.timers = append(it.timers[:at], it.timers[at+1:]...)
			if it.runner != nil && it.waitsFor == nil {
				it.resume()
			}
			return
		}
	}
}
