package engine

import (
	"strings"
)

// Event is a server-sent event.
type Event struct {
	// Type is the event's type; `message` where the stream names none.
	Type string
	// Data is its data lines, joined by LF.
	Data string
	// ID is the last event id seen; empty where there was none.
	ID string
}

// None is the item of a stream that has none: of [Request.Head].
type None struct{}

// Stream is an answer that comes in pieces: of [Event], string (a line), []byte (a chunk) or [None].
type Stream[T any] struct {
	exchange
	item func(piece) (T, bool)
	// items have come and were not taken.
	items []T
	// bytes came in the place of events.
	bytes [][]byte
}

func stream[T any](r *Request, read uint32, item func(piece) (T, bool)) *Stream[T] {
	s := &Stream[T]{item: item}
	s.sink = s
	r.read, r.most = read, 0
	r.ask(&s.exchange)
	return s
}

func opened[T any](s *Stream[T]) (*Stream[T], error) {
	if err := s.Opened(); err != nil {
		return nil, err
	}
	return s, nil
}

// Opened waits for status and fields. The error is an [*ExchangeFailed].
func (s *Stream[T]) Opened() error { return s.open() }

// Next gives the next item, or false when the answer is complete. The error is an [*ExchangeFailed]; it comes after the
// items that came before it.
func (s *Stream[T]) Next() (item T, more bool, err error) {
	if more, err = s.await(); !more || err != nil {
		return item, false, err
	}
	item, s.items = s.items[0], s.items[1:]
	return item, true, nil
}

// NextBatch gives all items at hand, at least one: those of one read share its time. Nil when the answer is complete. The
// error is that of [Stream.Next].
func (s *Stream[T]) NextBatch() ([]T, error) {
	if more, err := s.await(); !more || err != nil {
		return nil, err
	}
	batch := s.items
	s.items = nil
	return batch, nil
}

// Finish reads to the end, whatever still comes. The error is that of [Stream.Next].
func (s *Stream[T]) Finish() error {
	for {
		if batch, err := s.NextBatch(); batch == nil || err != nil {
			return err
		}
	}
}

// Bytes reads to the end and gives the bytes that came in the place of events, at most so many: the whole body of an
// answer in JSON to a request for events, which is no stream of them. The error is that of [Stream.Next], or a failure
// `answer too large`.
func (s *Stream[T]) Bytes(most int) ([]byte, error) {
	var all []byte
	for {
		for _, chunk := range s.bytes {
			if len(chunk) > most-len(all) {
				return nil, Failed("answer too large")
			}
			all = append(all, chunk...)
		}
		s.bytes, s.items = nil, nil
		if s.failed != nil {
			return nil, s.failed
		}
		if s.ended {
			return all, nil
		}
		s.it.pause(&s.exchange)
	}
}

// await waits until there is an item, or false at the end.
func (s *Stream[T]) await() (bool, error) {
	for len(s.items) == 0 && !s.ended {
		s.it.pause(&s.exchange)
	}
	if len(s.items) > 0 {
		return true, nil
	}
	if s.failed != nil {
		return false, s.failed
	}
	return false, nil
}

func (s *Stream[T]) push(pieces []piece) {
	if s.items == nil {
		s.items = make([]T, 0, len(pieces))
	}
	for _, p := range pieces {
		if item, ok := s.item(p); ok {
			s.items = append(s.items, item)
		} else if p.kind == pieceChunk {
			s.bytes = append(s.bytes, []byte(p.text))
		}
	}
}

func (s *Stream[T]) closed(CloseInfo) {}

func eventOf(p piece) (Event, bool) { return Event{p.event, p.text, p.id}, p.kind == pieceEvent }

func lineOf(p piece) (string, bool) { return p.text, p.kind == pieceLine }

func chunkOf(p piece) ([]byte, bool) {
	if p.kind != pieceChunk {
		return nil, false
	}
	return []byte(p.text), true
}

// textOf makes text of bytes: what is not UTF-8 becomes U+FFFD.
func textOf(bytes []byte) string { return strings.ToValidUTF8(string(bytes), "\uFFFD") }
