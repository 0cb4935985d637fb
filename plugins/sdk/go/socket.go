package engine

import "time"

// SocketRequest is a WebSocket being put together. Nothing is sent before [SocketRequest.Open].
type SocketRequest struct {
	it              *iteration
	name, authority string
	path            string
	fields          []Field
	subprotocols    []string
	extensions      []Field
	timeout         time.Duration
}

// Name names the series this socket belongs to.
func (r *SocketRequest) Name(name string) *SocketRequest { r.name = name; return r }

// Field adds a field to the handshake.
func (r *SocketRequest) Field(name, value string) *SocketRequest {
	r.fields = append(r.fields, Field{name, value})
	return r
}

// Subprotocol offers a subprotocol; the first one offered is preferred.
func (r *SocketRequest) Subprotocol(name string) *SocketRequest {
	r.subprotocols = append(r.subprotocols, name)
	return r
}

// Authority goes to another host, as `host` or `host:port`, that the scenario allows.
func (r *SocketRequest) Authority(authority string) *SocketRequest {
	r.authority = authority
	return r
}

// Timeout is the longest the socket may stay open; the workload's limit where not said.
func (r *SocketRequest) Timeout(limit time.Duration) *SocketRequest { r.timeout = limit; return r }

// Extension is a setting this SDK has no method for. One the engine does not know is the failure `protocol`.
func (r *SocketRequest) Extension(name, value string) *SocketRequest {
	r.extensions = append(r.extensions, Field{name, value})
	return r
}

// Open starts the handshake and waits for its end. A refused upgrade is a failure: the error is an [*ExchangeFailed].
func (r *SocketRequest) Open() (*Socket, error) {
	s := r.Start()
	if err := s.Opened(); err != nil {
		return nil, err
	}
	return s, nil
}

// Start starts the handshake and goes on: see [Socket.Opened].
func (r *SocketRequest) Start() *Socket {
	r.it.mustRun()
	s := &Socket{}
	s.sink = s
	r.it.lease(&s.exchange, actOpen(r))
	return s
}

// Message is one WebSocket message.
type Message struct {
	// Text is the text of a text message.
	Text string
	// Binary is the bytes of a binary message; nil where it is text.
	Binary []byte
}

// IsText says whether it is a text message.
func (m Message) IsText() bool { return m.Binary == nil }

// CloseInfo is how a WebSocket was closed.
type CloseInfo struct {
	// Code is the close code; 1005 where the peer gave none, 1006 where it ended the connection without an answer.
	Code int
	// Reason is the peer's or the plugin's text, at most 123 bytes.
	Reason string
}

// Socket is a WebSocket.
type Socket struct {
	exchange
	subprotocol string
	messages    []Message
	info        *CloseInfo
}

// Opened waits for the end of the handshake. The error is an [*ExchangeFailed].
func (s *Socket) Opened() error { return s.open() }

// Subprotocol is the one the peer chose; empty where it chose none.
func (s *Socket) Subprotocol() string { return s.subprotocol }

// SendText sends a text message.
func (s *Socket) SendText(text string) {
	if !s.it.over {
		actWriteText(uint32(s.id), text)
	}
}

// SendBinary sends a binary message.
func (s *Socket) SendBinary(bytes []byte) {
	if !s.it.over {
		actWriteBinary(uint32(s.id), bytes)
	}
}

// Next gives the next message, or false when the socket was closed by the close handshake, see [Socket.CloseInfo]. The
// error is an [*ExchangeFailed]; it comes after the messages that came before it.
func (s *Socket) Next() (message Message, more bool, err error) {
	if more, err = s.await(); !more || err != nil {
		return message, false, err
	}
	message, s.messages = s.messages[0], s.messages[1:]
	return message, true, nil
}

// NextBatch gives all messages at hand, at least one: those of one read share its time. Nil as Next gives false.
func (s *Socket) NextBatch() ([]Message, error) {
	if more, err := s.await(); !more || err != nil {
		return nil, err
	}
	batch := s.messages
	s.messages = nil
	return batch, nil
}

// Close starts the close handshake and waits for its end; messages that still come are dropped. The info is nil where the
// socket was not closed by a handshake. The error is an [*ExchangeFailed].
func (s *Socket) Close(code int, reason string) (*CloseInfo, error) {
	if !s.it.over && !s.ended {
		actClose(uint32(s.id), uint32(code), reason)
	}
	for {
		if batch, err := s.NextBatch(); batch == nil || err != nil {
			return s.info, err
		}
	}
}

// CloseInfo gives code and reason of the close, once Next has given false; nil before.
func (s *Socket) CloseInfo() *CloseInfo { return s.info }

func (s *Socket) await() (bool, error) {
	for len(s.messages) == 0 && !s.ended {
		s.it.pause(&s.exchange)
	}
	if len(s.messages) > 0 {
		return true, nil
	}
	if s.failed != nil {
		return false, s.failed
	}
	return false, nil
}

func (s *Socket) push(pieces []piece) {
	for _, p := range pieces {
		switch p.kind {
		case pieceText:
			s.messages = append(s.messages, Message{Text: p.text})
		case pieceBinary:
			s.messages = append(s.messages, Message{Binary: append([]byte{}, p.text...)})
		}
	}
}

func (s *Socket) closed(info CloseInfo) { s.info = &info }

func (it *iteration) onOpen(id uint32, subprotocol string, fields []Field) {
	e := it.find(id)
	if e == nil {
		return
	}
	e.fields, e.headed = fields, true
	if socket, ok := e.sink.(*Socket); ok {
		socket.subprotocol = subprotocol
	}
	it.arrived(e)
}
