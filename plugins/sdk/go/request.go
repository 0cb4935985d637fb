package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// defaultMaxBody is the most bytes a body may have in [Request.Send] where nothing else is said: 16 MiB.
const defaultMaxBody = 16 << 20

// Blob is a body registered once and sent many times without being copied again.
type Blob uint32

// RegisterBlob keeps these bytes. Only in Configure; at most 64 MiB in all.
func RegisterBlob(bytes []byte) Blob { return Blob(actRegisterBlob(bytes)) }

// Request is a request being put together. Nothing is sent before [Request.Send] or one of its kin.
type Request struct {
	it                      *iteration
	name, method, authority string
	path                    string
	fields                  []Field
	bodyKind                uint32
	body                    []byte
	blob                    Blob
	read                    uint32
	most                    uint32
	wanted                  *[]string
	expected                []int
	redirects               int
	limitsRedirects         bool
	extensions              []Field
	timeout                 time.Duration
}

// Cases of the body and of the read mode, as the interface counts them.
const (
	bodyEmpty uint32 = iota
	bodyBytes
	bodyBlob
)
const (
	readHead uint32 = iota
	readWhole
	readEvents
	readLines
	readChunks
	readCount
)

// Name names the series this request belongs to; the method and the path without its query where not said. Give it where
// paths carry ids.
func (r *Request) Name(name string) *Request { r.name = name; return r }

// Field adds a request field. It leaves as written, in the order of the calls.
func (r *Request) Field(name, value string) *Request {
	if r.fields == nil {
		r.fields = make([]Field, 0, 4)
	}
	r.fields = append(r.fields, Field{name, value})
	return r
}

// WithFields adds request fields that the plan keeps.
func (r *Request) WithFields(fields []Field) *Request {
	if r.fields == nil {
		r.fields = fields[:len(fields):len(fields)] // not copied; one more field copies them
	} else {
		r.fields = append(r.fields, fields...)
	}
	return r
}

// Body sends these bytes.
func (r *Request) Body(bytes []byte) *Request { r.bodyKind, r.body = bodyBytes, bytes; return r }

// Blob sends a registered body.
func (r *Request) Blob(blob Blob) *Request { r.bodyKind, r.blob = bodyBlob, blob; return r }

// JSON sends this value as JSON, with `content-type: application/json` unless a content type was given before. A value
// that has no JSON form, such as a channel, is a mistake of the plugin: a panic.
func (r *Request) JSON(value any) *Request {
	bytes, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("a body that has no JSON form: %v", err))
	}
	typed := false
	for _, field := range r.fields {
		typed = typed || strings.EqualFold(field.Name, "content-type")
	}
	if !typed {
		r.Field("content-type", "application/json")
	}
	return r.Body(bytes)
}

// Form sends these pairs as a form (`application/x-www-form-urlencoded`), in this order. A space is sent as `%20`.
func (r *Request) Form(pairs ...Field) *Request {
	var body strings.Builder
	for i, pair := range pairs {
		if i > 0 {
			body.WriteByte('&')
		}
		body.WriteString(PercentEncode(pair.Name))
		body.WriteByte('=')
		body.WriteString(PercentEncode(pair.Value))
	}
	return r.Field("content-type", "application/x-www-form-urlencoded").Body([]byte(body.String()))
}

// MaxBody is the most bytes the answer's body may have, after decompression, 1 to 64 MiB; 16 MiB where not said. A larger
// one is the failure `body_too_large`.
func (r *Request) MaxBody(bytes uint32) *Request { r.read, r.most = readWhole, bytes; return r }

// CountBody has the body counted and not handed over: the cheapest way to see a status.
func (r *Request) CountBody() *Request { r.read, r.most = readCount, 0; return r }

// WantedFields has only these response fields handed over (names in lower case). Cheaper than all of them.
func (r *Request) WantedFields(names ...string) *Request { r.wanted = &names; return r }

// ExpectStatus has only these statuses taken for right: where another one comes, what waits for the answer gives an
// [*ExchangeFailed] beside it, the engine's `http_<status>`.
func (r *Request) ExpectStatus(statuses ...int) *Request { r.expected = statuses; return r }

// FollowRedirects follows at most so many redirects, 0 to 20; the workload's setting where not said.
func (r *Request) FollowRedirects(most int) *Request {
	r.redirects, r.limitsRedirects = most, true
	return r
}

// Authority goes to another host, as `host` or `host:port`, that the scenario allows.
func (r *Request) Authority(authority string) *Request { r.authority = authority; return r }

// Timeout is the longest the whole exchange may take; the workload's limit where not said.
func (r *Request) Timeout(limit time.Duration) *Request { r.timeout = limit; return r }

// Extension is a setting this SDK has no method for. One the engine does not know is the failure `protocol`.
func (r *Request) Extension(name, value string) *Request {
	r.extensions = append(r.extensions, Field{name, value})
	return r
}

// Send sends the request and waits for the whole answer. The error is an [*ExchangeFailed].
func (r *Request) Send() (*Reply, error) { return r.Start().Reply() }

// Start sends the request now and goes on; [Sending.Reply] waits for the answer.
func (r *Request) Start() *Sending {
	s := &r.it.first.sending
	if r.it.first.taken {
		s = &Sending{}
	}
	r.it.first.taken = true
	r.ask(&s.reply.exchange)
	return s
}

// Events sends the request, and reads the answer as server-sent events.
func (r *Request) Events() (*Stream[Event], error) { return opened(r.StartEvents()) }

// Lines sends the request, and reads the answer line by line; empty lines are left out.
func (r *Request) Lines() (*Stream[string], error) { return opened(r.StartLines()) }

// Chunks sends the request, and reads the answer's bytes as they arrive.
func (r *Request) Chunks() (*Stream[[]byte], error) { return opened(r.StartChunks()) }

// Head sends the request, and hands over status and fields when they have arrived; the body is counted.
func (r *Request) Head() (*Stream[None], error) { return opened(r.StartHead()) }

// StartEvents is [Request.Events] without the wait: see [Stream.Opened].
func (r *Request) StartEvents() *Stream[Event] { return stream(r, readEvents, eventOf) }

// StartLines is [Request.Lines] without the wait: see [Stream.Opened].
func (r *Request) StartLines() *Stream[string] { return stream(r, readLines, lineOf) }

// StartChunks is [Request.Chunks] without the wait: see [Stream.Opened].
func (r *Request) StartChunks() *Stream[[]byte] { return stream(r, readChunks, chunkOf) }

// StartHead is [Request.Head] without the wait: see [Stream.Opened].
func (r *Request) StartHead() *Stream[None] {
	return stream(r, readHead, func(piece) (None, bool) { return None{}, false })
}

func (r *Request) ask(e *exchange) {
	r.it.mustRun()
	e.expected = r.expected
	r.it.lease(e, actSend(r))
}

// Sending is a request on its way: what [Request.Start] gives.
type Sending struct{ reply Reply }

// Exchange names it, for marks.
func (s *Sending) Exchange() Exchange { return s.reply.id }

// Reply waits for the whole answer. The error is an [*ExchangeFailed].
func (s *Sending) Reply() (*Reply, error) {
	e := &s.reply.exchange
	for !e.ended {
		e.it.pause(e)
	}
	if !e.headed {
		return nil, e.failure()
	}
	return &s.reply, e.asExpected()
}

// Cancel gives the request up, which is no failure. No effect on one that has ended.
func (s *Sending) Cancel() { s.reply.Cancel() }

// PercentEncode gives a text as one segment of a path, a value of a query or of a form: every byte encoded but letters,
// digits and `-._~`.
func PercentEncode(text string) string {
	const digits = "0123456789ABCDEF"
	var encoded strings.Builder
	for _, b := range []byte(text) {
		if 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0 {
			encoded.WriteByte(b)
		} else {
			encoded.Write([]byte{'%', digits[b>>4], digits[b&15]})
		}
	}
	return encoded.String()
}
