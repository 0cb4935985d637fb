package engine

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Exchange names one request or WebSocket within its iteration: for [Asked].
type Exchange uint32

// Cancelled ends an iteration early because the plan said so. It is no failure.
var Cancelled error = &stop{cancelled: true}

// stop is a verdict of the plugin's own.
type stop struct {
	cancelled bool
	text      string
}

func (s *stop) Error() string {
	if s.cancelled {
		return "cancelled"
	}
	return "check: " + s.text
}

// Failed is a failure by the plugin's own judgement, counted as `check: <text>`: return it from a flow. Keep the texts
// short, few and constant: no ids, no numbers. At most 200 bytes, the rest is cut.
//
// A flow that returns nil ends as ok, with [Cancelled] as cancelled, with an [*ExchangeFailed] by the engine's own reason;
// each of them may be wrapped (%w). Any other error is a `check:` failure with its text reduced as in [Quoting], and in
// full in a log line of level debug. A panic is a mistake of the plugin: it is logged, and the call traps.
func Failed(text string) error { return &stop{text: text} }

// Quoting is a failure that quotes what the peer said, as `<what>: <text>`: reduced, so that texts which differ in ids
// and numbers alone are one. Words with a digit or an `@` and words of more than 24 bytes become `#`, and all is cut after
// 100 bytes. Where nothing is left to quote, `<what>` alone.
func Quoting(what, text string) error {
	if reduced := reduce(text); reduced != "" {
		what += ": " + reduced
	}
	return Failed(what)
}

// Ensure fails with this text unless the condition holds: `return engine.Ensure(total == 3, "wrong total")`.
func Ensure(condition bool, text string) error {
	if condition {
		return nil
	}
	return Failed(text)
}

// ExchangeFailed is the error of an exchange that came to no answer, or to one of another status than expected. Returned
// from a flow it ends the iteration by the engine's own reason.
type ExchangeFailed struct {
	// Exchange is which one, for marks.
	Exchange Exchange
	// Reason is the engine's, such as `timeout_total`, or `http_503`. An open set: match what you know, treat the rest alike.
	Reason string
	// Detail is for people: what was seen.
	Detail string
}

func (e *ExchangeFailed) Error() string { return e.Reason + ": " + e.Detail }

// Cases of the verdict, as the interface counts them.
const (
	verdictOk uint32 = iota
	verdictCancelled
	verdictFailed
	verdictFailedBy
)

// verdict is how an iteration ended, as the interface has it.
type verdict struct {
	kind     uint32
	text     string
	exchange Exchange
}

// verdictOf reads the error that a flow has returned.
func verdictOf(err error) verdict {
	switch e := err.(type) { // the usual ones, without a search
	case nil:
		return verdict{}
	case *ExchangeFailed:
		return verdict{kind: verdictFailedBy, exchange: e.Exchange}
	}
	var failed *ExchangeFailed
	if errors.As(err, &failed) {
		return verdict{kind: verdictFailedBy, exchange: failed.Exchange}
	}
	var own *stop
	if errors.As(err, &own) {
		if own.cancelled {
			return verdict{kind: verdictCancelled}
		}
		return verdict{kind: verdictFailed, text: cut(own.text, 200)}
	}
	text := reduce(err.Error())
	actLog(LevelDebug, cut(err.Error(), 4096))
	if text == "" {
		text = "error"
	}
	return verdict{kind: verdictFailed, text: text}
}

// cut shortens a text to so many bytes, between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// The longest quoted text and the longest word in it, in bytes.
const (
	quoteLimit = 100
	wordLimit  = 24
)

// reduce gives a text without its ids and numbers.
func reduce(text string) string {
	var reduced strings.Builder
	last := ""
	for _, word := range strings.Fields(text) {
		if len(word) > wordLimit || strings.ContainsAny(word, "0123456789@") {
			if last == "#" {
				continue
			}
			word = "#"
		}
		if reduced.Len()+len(word) >= quoteLimit {
			break
		}
		if reduced.Len() > 0 {
			reduced.WriteByte(' ')
		}
		reduced.WriteString(word)
		last = word
	}
	if reduced.String() == "#" {
		return ""
	}
	return reduced.String()
}
