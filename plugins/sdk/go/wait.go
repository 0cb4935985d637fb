package engine

// Timer is a running timer: what [Context.Timer] gives.
type Timer struct {
	it    *iteration
	id    uint32
	fired bool
}

// Wait waits until it has fired.
func (t *Timer) Wait() {
	for !t.fired {
		t.it.pause(nil)
	}
}

// Clear takes the timer back. No effect on one that has fired.
func (t *Timer) Clear() {
	if t.fired || t.it.over {
		return
	}
	t.fired = true
	for at, other := range t.it.timers {
		if other == t {
			t.it.timers = append(t.it.timers[:at], t.it.timers[at+1:]...)
		}
	}
	actClear(t.id)
}

// Waitable is what can be waited for with others: a [*Sending], a [*Timer], a [*Stream] or a [*Socket]. Of the latter two,
// that there is something to read, or that they have ended; before they are open, that they are.
type Waitable interface {
	ready() bool
	giveUp()
	of() *iteration
}

// Any waits until one of these is ready and gives its position, the first one's where several are. Nothing happens to the
// others.
func Any(waitables ...Waitable) int {
	for {
		for at, w := range waitables {
			if w.ready() {
				return at
			}
		}
		waitables[0].of().pause(nil)
	}
}

// Race is [Any], and gives up the others: exchanges are cancelled, timers cleared. With a timer it is a time limit of the
// plan's own:
//
//	page := ctx.Get("/page").Start()
//	if engine.Race(page, ctx.Timer(2*time.Second)) == 1 {
//		return engine.Failed("no answer after two seconds")
//	}
//	reply, err := page.Reply()
func Race(waitables ...Waitable) int {
	first := Any(waitables...)
	for at, w := range waitables {
		if at != first {
			w.giveUp()
		}
	}
	return first
}

// JoinAll waits for all of them, and gives their answers in this order. The error is the first one in this order.
func JoinAll(sendings ...*Sending) ([]*Reply, error) {
	replies := make([]*Reply, len(sendings))
	var first error
	for at, sending := range sendings {
		reply, err := sending.Reply()
		replies[at] = reply
		if first == nil {
			first = err
		}
	}
	return replies, first
}

func (t *Timer) ready() bool    { return t.fired }
func (t *Timer) giveUp()        { t.Clear() }
func (t *Timer) of() *iteration { return t.it }

func (s *Sending) ready() bool    { return s.reply.ended }
func (s *Sending) giveUp()        { s.Cancel() }
func (s *Sending) of() *iteration { return s.reply.it }

func (s *Stream[T]) ready() bool    { return s.ended || len(s.items) > 0 || s.headed && !s.seen }
func (s *Stream[T]) giveUp()        { s.Cancel() }
func (s *Stream[T]) of() *iteration { return s.it }

func (s *Socket) ready() bool    { return s.ended || len(s.messages) > 0 || s.headed && !s.seen }
func (s *Socket) giveUp()        { s.Cancel() }
func (s *Socket) of() *iteration { return s.it }
