package engine

import (
	"encoding/json"
)

// Reply is a whole answer.
type Reply struct{ exchange }

// Body is the body after decompression; empty where it was only counted.
func (r *Reply) Body() []byte { return r.body }

// Size is the bytes of the body as they came off the wire.
func (r *Reply) Size() uint64 { return r.size }

// Text is the body as text; bytes that are not UTF-8 become U+FFFD.
func (r *Reply) Text() string { return textOf(r.body) }

// JSON reads the body as JSON. It fails with `unexpected JSON`; the log says what is wrong with it.
func (r *Reply) JSON(into any) error {
	if err := json.Unmarshal(r.body, into); err != nil {
		if !r.it.over {
			actLog(LevelDebug, "unexpected JSON: "+err.Error())
		}
		return Failed("unexpected JSON")
	}
	return nil
}
