package engine

import "fmt"

// Metrics are a plugin's own figures, at most 64:
//
//	var metrics engine.Metrics
//	var answered = metrics.Mark("answered", "From due to the moment the answer was there.")
//
// A name is of lower-case letters, digits and `_`, at most 64 bytes; thresholds name it. The summary is one line for
// reports. A unit is for people, such as `bytes`.
//
// The set is the plugin's where [Plugin] names it in its field Metrics; a figure of another set is a panic when it is used.
type Metrics struct {
	list []metric
	// Whether a plugin has named it: what the engine is told of.
	named bool
}

type metric struct {
	name          string
	kind          uint32
	unit, summary string
}

// Kinds of metrics, as the interface counts them.
const (
	kindMark uint32 = iota
	kindCounter
	kindObservation
	kindCheck
)

type (
	// Mark is a time: see [Context.Mark].
	Mark struct{ figure }
	// Counter is a sum: see [Context.Count].
	Counter struct{ figure }
	// Observation is a distribution of values: see [Context.Observe].
	Observation struct{ figure }
	// Check is passed or failed: see [Context.Check].
	Check struct{ figure }
)

// Mark declares a time.
func (m *Metrics) Mark(name, summary string) Mark {
	return Mark{m.add(name, kindMark, "", summary)}
}

// Counter declares a sum.
func (m *Metrics) Counter(name, unit, summary string) Counter {
	return Counter{m.add(name, kindCounter, unit, summary)}
}

// Observation declares a distribution of values.
func (m *Metrics) Observation(name, unit, summary string) Observation {
	return Observation{m.add(name, kindObservation, unit, summary)}
}

// Check declares a figure of passed and failed.
func (m *Metrics) Check(name, summary string) Check {
	return Check{m.add(name, kindCheck, "", summary)}
}

func (m *Metrics) add(name string, kind uint32, unit, summary string) figure {
	m.list = append(m.list, metric{name, kind, unit, summary})
	return figure{m, uint32(len(m.list) - 1)}
}

// figure is a metric's place in a set.
type figure struct {
	set *Metrics
	at  uint32
}

// id is the metric's number, as the engine counts it.
func (f figure) id() uint32 {
	if f.set == nil {
		panic("a metric that no engine.Metrics has declared")
	}
	if !f.set.named {
		panic(fmt.Sprintf("the metric %q is in a set that the plugin's field Metrics does not name", f.set.list[f.at].name))
	}
	return f.at
}

// Since says from where a mark is measured: [Due] or [Asked].
type Since struct {
	kind     uint32
	exchange Exchange
}

// Cases of since, as the interface counts them.
const (
	sinceDue uint32 = iota
	sinceAsked
	sincePrevious
)

// Due is the moment the arrival was due.
var Due = Since{kind: sinceDue}

// Asked is the moment this exchange was asked for.
func Asked(exchange Exchange) Since { return Since{sinceAsked, exchange} }
