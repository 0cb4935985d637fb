package engine

// Metrics are a plugin's own figures, at most 64:
//
//	var metrics engine.Metrics
//	var answered = metrics.Mark("answered", "From due to the moment the answer was there.")
//
// A name is of lower-case letters, digits and `_`, at most 64 bytes; thresholds name it. The summary is one line for
// reports. A unit is for people, such as `bytes`.
type Metrics struct{ list []metric }

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
	Mark uint32
	// Counter is a sum: see [Context.Count].
	Counter uint32
	// Observation is a distribution of values: see [Context.Observe].
	Observation uint32
	// Check is passed or failed: see [Context.Check].
	Check uint32
)

// Mark declares a time.
func (m *Metrics) Mark(name, summary string) Mark {
	return Mark(m.add(name, kindMark, "", summary))
}

// Counter declares a sum.
func (m *Metrics) Counter(name, unit, summary string) Counter {
	return Counter(m.add(name, kindCounter, unit, summary))
}

// Observation declares a distribution of values.
func (m *Metrics) Observation(name, unit, summary string) Observation {
	return Observation(m.add(name, kindObservation, unit, summary))
}

// Check declares a figure of passed and failed.
func (m *Metrics) Check(name, summary string) Check {
	return Check(m.add(name, kindCheck, "", summary))
}

func (m *Metrics) add(name string, kind uint32, unit, summary string) uint32 {
	m.list = append(m.list, metric{name, kind, unit, summary})
	return uint32(len(m.list) - 1)
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
