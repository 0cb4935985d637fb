//go:build !wasip1

package engine

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

const testManifest = `
# A comment with name = "x"
[plugin]
name = "probe" # the name
version = "1.2.3"
summary = "Says \"so\""
[other]
name = "other"
`

var (
	testMetrics Metrics
	tDone       = testMetrics.Mark("done", "Done.")
	tSum        = testMetrics.Counter("sum", "items", "A sum.")
	tValue      = testMetrics.Observation("value", "ms", "A value.")
	tRight      = testMetrics.Check("right", "Right.")
)

// flow makes a plugin of one flow.
func flow(iterate func(ctx *Context) error) Plugin[NoConfig, int] {
	return Plugin[NoConfig, int]{
		Manifest:  testManifest,
		Metrics:   &testMetrics,
		Configure: func(NoConfig, Shared) (int, error) { return 0, nil },
		Iterate:   func(_ int, ctx *Context) error { return iterate(ctx) },
	}
}

func endsAs(t *testing.T, run *Run, outcome string) {
	t.Helper()
	if run.Outcome() != outcome {
		t.Errorf("ended as %q, not as %q", run.Outcome(), outcome)
	}
}

func equal(t *testing.T, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("got %v, expected %v", got, expected)
	}
}

func panics(t *testing.T, text string, act func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if cause := fmt.Sprint(recover()); !strings.Contains(cause, text) {
			t.Errorf("%q is not in %q", text, cause)
		}
	}()
	act()
}

func TestTheManifestSaysWhoItIs(t *testing.T) {
	w := flow(nil).workload()
	equal(t, []string{w.name, w.version, w.summary}, []string{"probe", "1.2.3", `Says "so"`})
	panics(t, "plugin.toml: version is missing", func() { manifestText("[plugin]\nname = \"a\"", "version") })
	panics(t, "plugin.toml: name is no text", func() { manifestText("[plugin]\nname = 3", "name") })
}

func TestARequestLeavesAsItWasWritten(t *testing.T) {
	kept := append(make([]Field, 0, 9), Field{"A", "1"}, Field{"B", "2"})
	var blob Blob
	plugin := flow(func(ctx *Context) error {
		_, err := ctx.Post("/orders?x=1").Name("order").WithFields(kept).Field("C", "3").JSON(map[string]int{"n": 1}).
			WantedFields("etag").FollowRedirects(0).Authority("other:1").Timeout(time.Second).Extension("e", "f").
			MaxBody(7).Send()
		if err != nil {
			return err
		}
		if _, err = ctx.Put("/blob").Blob(blob).CountBody().Send(); err != nil {
			return err
		}
		_, err = ctx.Patch("/form").Form(Field{"a b", "é&"}, Field{"c", "~"}).Send()
		return err
	})
	plugin.Configure = func(NoConfig, Shared) (int, error) { blob = RegisterBlob([]byte("kept")); return 0, nil }
	run := NewScript().On("POST", "/orders?x=1").Reply(200, "").On("PUT", "/blob").Reply(200, "").
		On("PATCH", "/form").Reply(200, "").Run(plugin, "{}")
	endsAs(t, run, "ok")
	r := run.Requests()[0]
	equal(t, *r, Sent{Name: "order", Method: "POST", Authority: "other:1", Path: "/orders?x=1",
		Fields: []Field{{"A", "1"}, {"B", "2"}, {"C", "3"}, {"content-type", "application/json"}},
		Body:   []byte(`{"n":1}`), MaxBody: 7, WantedFields: []string{"etag"}, FollowRedirects: 0,
		Extensions: []Field{{"e", "f"}}, Timeout: time.Second, read: readWhole})
	equal(t, kept[:3][2], Field{}) // what the plan keeps is left as it was
	put := run.Requests()[1]
	equal(t, []any{string(put.Body), put.SendsBlob, put.CountsBody, put.FollowRedirects}, []any{"kept", true, true, -1})
	equal(t, string(run.Requests()[2].Body), "a%20b=%C3%A9%26&c=~")
}

func TestAReplyIsAllThere(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		reply, err := ctx.Get("/a").Send()
		if err != nil {
			return err
		}
		var value struct{ N int }
		if err := reply.JSON(&value); err != nil {
			return err
		}
		ctx.Observe(tValue, float64(value.N))
		ctx.Mark(tDone, Asked(reply.Exchange()))
		ctx.Count(tSum, reply.Size())
		ctx.Check(tRight, reply.Field("X-One") == "1" && reply.Field("none") == "" && reply.Text() == string(reply.Body()))
		return reply.ExpectStatusWithin(200, 299)
	})
	run := NewScript().On("GET", "/a").Field("x-one", "1").Reply(201, `{"n":5}`).Run(plugin, "{}")
	endsAs(t, run, "ok")
	equal(t, run.Observed("value"), []float64{5})
	equal(t, run.Counted("sum"), uint64(7))
	equal(t, run.Checked("right"), []bool{true})
	equal(t, run.Marks(), []Marked{{"done", Asked(0), 1, time.Millisecond}})

	wrong := NewScript().On("GET", "/a").Reply(200, `{"n":`).Run(plugin, "{}")
	endsAs(t, wrong, "check: unexpected JSON")
	if logs := wrong.Logs(); len(logs) != 1 || logs[0].Level != LevelDebug {
		t.Error(logs)
	}
	endsAs(t, NewScript().On("GET", "/a").Reply(404, `{}`).Run(plugin, "{}"), "http_404")
	endsAs(t, NewScript().On("GET", "/a").Fail("refused").Run(plugin, "{}"), "refused")
	equal(t, textOf([]byte("a\xffb")), "a\uFFFDb")
}

func TestARequestSaysWhichStatusIsRight(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		reply, err := ctx.Get("/a").ExpectStatus(200, 404).Send()
		ctx.Log(LevelInfo, reply.Text())
		return err
	})
	for status, outcome := range map[int]string{200: "ok", 404: "ok", 500: "http_500"} {
		run := NewScript().On("GET", "/a").Reply(status, "why").Run(plugin, "{}")
		endsAs(t, run, outcome)
		equal(t, run.Logs(), []Logged{{LevelInfo, "why"}})
	}
}

func TestErrorsBecomeVerdicts(t *testing.T) {
	for outcome, err := range map[string]error{
		"cancelled":             fmt.Errorf("wrapped: %w", Cancelled),
		"check: no":             fmt.Errorf("wrapped: %w", Failed("no")),
		"check: said: no # now": Quoting("said", "no 12 34 now"),
		"check: odd: #":         errors.New("odd: 910a2dec-8902"),
		"check: error":          errors.New("  "),
	} {
		run := NewScript().Run(flow(func(*Context) error { return err }), "{}")
		endsAs(t, run, outcome)
	}
	run := NewScript().Run(flow(func(*Context) error { return errors.New("odd: 910a2dec-8902") }), "{}")
	equal(t, run.Logs(), []Logged{{LevelDebug, "odd: 910a2dec-8902"}})
	endsAs(t, NewScript().On("GET", "/a").Fail("reset").Run(flow(func(ctx *Context) error {
		_, err := ctx.Get("/a").Send()
		return fmt.Errorf("page: %w", err)
	}), "{}"), "reset")
	equal(t, Ensure(true, "x"), nil)
	equal(t, verdictOf(Failed(strings.Repeat("ü", 150)+"x")).text, strings.Repeat("ü", 100))
	equal(t, len(verdictOf(Failed("x"+strings.Repeat("ü", 150))).text), 199)
	equal(t, reduce("QueuePool limit of size 5 overflow 10 reached, timed out after 30.00 31.00 s"),
		"QueuePool limit of size # overflow # reached, timed out after # s")
	equal(t, reduce(strings.Repeat("x", 25)), "")
}

func TestAPanicNamesThePlaceAndIsNotQuiet(t *testing.T) {
	plugin := flow(func(*Context) error { panic("two\nlines") })
	panics(t, "panicked: two lines at engine.TestAPanicNamesThePlaceAndIsNotQuiet.func1 (", func() { NewScript().Run(plugin, "{}") })
	panics(t, "flow_test.go:", func() { NewScript().Run(plugin, "{}") })
	endsAs(t, NewScript().Run(flow(func(*Context) error { return nil }), "{}"), "ok") // the next one runs
}

func TestAContextIsOfNoUseElsewhere(t *testing.T) {
	var kept *Context
	plugin := flow(func(ctx *Context) error {
		if kept != nil {
			kept.it.over = false
			kept.Get("/a").Start()
		}
		kept = ctx
		return nil
	})
	NewScript().Run(plugin, "{}")
	panics(t, "of no use outside of its own iteration", func() { NewScript().Run(plugin, "{}") })
}

func TestAFlowThatIsDroppedIsUnwoundAndAsksForNothing(t *testing.T) {
	unwound := 0
	plugin := flow(func(ctx *Context) error {
		socket, err := ctx.Socket("/ws").Open()
		if err != nil {
			return err
		}
		defer func() {
			unwound++
			socket.Cancel()
			socket.SendText("after its end")
			ctx.Count(tSum, 1)
			ctx.Log(LevelInfo, "after its end")
			_, _ = ctx.Get("/b").Send()
			t.Error("it went on")
		}()
		_, _, err = socket.Next()
		return err
	})
	script := NewScript().On("WS", "/ws").Open("").UntilClosed()
	run := script.Run(plugin, "{}")
	endsAs(t, run, "plugin_stalled")
	before := len(idle)
	script.Run(plugin, "{}")
	equal(t, []any{unwound, len(idle), before > 0}, []any{2, before, true}) // its coroutine is used again
	for _, kind := range []actionKind{didCancel, didWrite, didCount, didLog} {
		if asked := pick(run, kind, "", func(a timed) actionKind { return a.kind }); len(asked) > 0 {
			t.Error("asked for after its end", asked)
		}
	}
	equal(t, recorder == nil, true)
}

// A figure that the plugin's Metrics do not hold would be another one to the engine: the one with its number.
func TestAFigureOfAnotherSetIsAPanicWithItsName(t *testing.T) {
	var others Metrics
	strange := others.Mark("strange", "In no plugin's set.")
	for figure, text := range map[Mark]string{
		strange: `the metric "strange" is in a set that the plugin's field Metrics does not name`,
		{}:      "a metric that no engine.Metrics has declared",
	} {
		func() {
			defer func() {
				if got := recover(); got != text {
					t.Errorf("%v, not %s", got, text)
				}
			}()
			figure.id()
		}()
	}
}
