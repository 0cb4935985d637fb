// Package engine is the SDK for workload plugins of the load engine.
//
// A plugin is a [Plugin] that a program exports when it begins. The flow of an iteration is an ordinary function:
//
//	var plugin = engine.Plugin[engine.NoConfig, string]{
//		Manifest:  manifest,
//		Configure: func(engine.NoConfig, engine.Shared) (string, error) { return "/agents", nil },
//		Iterate: func(path string, ctx *engine.Context) error {
//			reply, err := ctx.Get(path).Field("accept", "application/json").Send()
//			if err != nil {
//				return err
//			}
//			return reply.ExpectStatus(200)
//		},
//	}
//
//	func init() { engine.Export(plugin) }
//	func main() {}
//
// # How it runs
//
// Each iteration is a coroutine. It runs when the engine delivers an event it waits for, and at no other time; there is
// no clock, no file and no network but through [Context]. Goroutines of your own are of no use: what they do between two
// events is not defined. What a flow does must come of its configuration, its arrival and the answers alone: the order of
// a map's keys and math/rand differ from one iteration to the next, [Context.Rng] does not.
package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// A Plugin is a workload: C is its configuration, a struct (see [NoConfig] for its tags), P what Configure makes of it,
// one in each instance of the plugin and shared by its iterations.
type Plugin[C, P any] struct {
	// Manifest is the text of plugin.toml, embedded: name, version and summary are taken from there.
	Manifest string
	// Metrics are the plugin's own figures; nil where it has none.
	Metrics *Metrics
	// Configure is called once in each instance, before the first arrival. An error is shown to the user as the plugin's
	// refusal and ends the run before it starts: say what to change. Do here what need not be done in every iteration.
	Configure func(config C, shared Shared) (P, error)
	// Iterate is the flow of one arrival. What it asks for before it first waits counts from when the arrival was due.
	// How errors end it: see [Failed].
	Iterate func(plan P, ctx *Context) error
	// Setup runs once before the load, in an instance of its own; nil where there is nothing to do. An error refuses the
	// run.
	Setup func(plan P, ctx *Context) error
	// Teardown runs once after the load, as Setup.
	Teardown func(plan P, ctx *Context) error
}

// A Workload is any [Plugin].
type Workload interface{ workload() *workload }

// workload is a plugin without its types.
type workload struct {
	name, version, summary string
	metrics                []metric
	schema                 func() string
	configure              func(config string, shared *string) (*plan, error)
}

// plan is a configured workload; its flows are nil where it has none.
type plan struct {
	iterate, setup, teardown func(*Context) error
}

func (p Plugin[C, P]) workload() *workload {
	w := &workload{
		name:    manifestText(p.Manifest, "name"),
		version: manifestText(p.Manifest, "version"),
		summary: manifestText(p.Manifest, "summary"),
		schema:  schemaOf[C],
	}
	if p.Metrics != nil {
		p.Metrics.named = true
		w.metrics = p.Metrics.list
	}
	w.configure = func(text string, shared *string) (*plan, error) {
		config, err := parseConfig[C](text)
		if err != nil {
			return nil, err
		}
		given, err := parseShared(shared)
		if err != nil {
			return nil, err
		}
		made, err := p.Configure(config, given)
		if err != nil {
			return nil, err
		}
		return &plan{bind(made, p.Iterate), bind(made, p.Setup), bind(made, p.Teardown)}, nil
	}
	return w
}

func bind[P any](made P, flow func(P, *Context) error) func(*Context) error {
	if flow == nil {
		return nil
	}
	return func(ctx *Context) error { return flow(made, ctx) }
}

// exported is what the engine calls.
var exported *workload

// Export makes a plugin the workload of this program. Call it once, from init: main is never run.
func Export(plugin Workload) { exported = plugin.workload() }

// manifestText reads a text of the table [plugin] of plugin.toml, which must be there.
func manifestText(manifest, key string) string {
	inside := false
	for line := range strings.Lines(manifest) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = strings.HasPrefix(line, "[plugin]")
		}
		name, value, found := strings.Cut(line, "=")
		if !inside || !found || strings.TrimSpace(name) != key {
			continue
		}
		quoted, err := strconv.QuotedPrefix(strings.TrimSpace(value))
		if err == nil {
			value, err = strconv.Unquote(quoted)
		}
		if err != nil {
			panic(fmt.Sprintf("plugin.toml: %s is no text in quotes", key))
		}
		return value
	}
	panic(fmt.Sprintf("plugin.toml: %s is missing in the table [plugin]", key))
}
