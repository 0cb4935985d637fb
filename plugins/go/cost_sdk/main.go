// One exchange through the SDK, the same as that of `cost_raw`: how much the SDK adds to what an iteration costs.
package main

import (
	"bytes"
	_ "embed"

	"engine"
)

//go:embed plugin.toml
var manifest string

// The request's fields, as in `cost_raw`.
var fields = []engine.Field{
	{Name: "accept", Value: "application/json"},
	{Name: "content-type", Value: "application/json"},
	{Name: "authorization", Value: "Bearer 0123456789abcdef0123456789abcdef"},
	{Name: "x-organization", Value: "910a2dec-8902-4cc1-bfcd-5625358f25c6"},
	{Name: "user-agent", Value: "cost/0.1"},
}

// Bytes of the request's body.
const bodyBytes = 300

var metrics engine.Metrics
var answered = metrics.Mark("answered", "From asking to the answer.")

// What need not be made for each iteration.
type cost struct{ body []byte }

var plugin = engine.Plugin[engine.NoConfig, *cost]{
	Manifest: manifest,
	Metrics:  &metrics,
	Configure: func(engine.NoConfig, engine.Shared) (*cost, error) {
		return &cost{bytes.Repeat([]byte("x"), bodyBytes)}, nil
	},
	Iterate: (*cost).iterate,
}

func (c *cost) iterate(ctx *engine.Context) error {
	reply, err := ctx.Post("/api/v1/cost?limit=20").Name("cost").WithFields(fields).Body(c.body).ExpectStatus(200).Send()
	if err != nil {
		return err
	}
	if reply.Field("content-type") != "application/json" {
		return engine.Failed("unexpected content type")
	}
	ctx.Mark(answered, engine.Asked(reply.Exchange()))
	return nil
}

func init() { engine.Export(plugin) }

func main() {}
