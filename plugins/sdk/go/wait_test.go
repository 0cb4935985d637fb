//go:build !wasip1

package engine

import (
	"strings"
	"testing"
	"time"
)

func TestSeveralAreOpenTogether(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		replies, err := JoinAll(ctx.Get("/a").Start(), ctx.Get("/b").Start(), ctx.Get("/c").Start())
		if err != nil {
			return err
		}
		for _, reply := range replies {
			ctx.Log(LevelInfo, reply.Text())
		}
		return nil
	})
	script := NewScript().On("GET", "/a").After(3*time.Millisecond).Reply(200, "a").On("GET", "/b").Reply(200, "b")
	run := script.On("GET", "/c").Reply(200, "c").Run(plugin, "{}")
	endsAs(t, run, "ok")
	equal(t, run.Took(), 3*time.Millisecond)
	equal(t, run.Logs(), []Logged{{LevelInfo, "a"}, {LevelInfo, "b"}, {LevelInfo, "c"}})
}

func TestALostRaceIsCancelled(t *testing.T) {
	race := func(ctx *Context) error {
		slow := ctx.Get("/slow").Start()
		if Race(slow, ctx.Timer(time.Second)) == 1 {
			ctx.Wait(time.Hour) // what comes of it now finds nobody
			return Failed("too slow")
		}
		reply, err := slow.Reply()
		if err != nil {
			return err
		}
		return reply.ExpectStatus(200)
	}
	slow := NewScript().On("GET", "/slow").After(2*time.Second).Reply(200, "")
	run := slow.Run(flow(race), "{}")
	endsAs(t, run, "check: too slow")
	equal(t, run.Cancelled(), []Exchange{0})
	fast := NewScript().On("GET", "/slow").Reply(200, "").Run(flow(race), "{}")
	endsAs(t, fast, "ok")
	equal(t, len(pick(fast, didClear, "", func(a timed) uint32 { return a.id })), 1)
	endsAs(t, NewScript().On("GET", "/slow").Fail("reset").Run(flow(race), "{}"), "reset")
}

func TestEventsOfWhatWasGivenUpAreIgnored(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		given := ctx.Get("/a").Start()
		given.Cancel()
		given.Cancel()
		it := given.of()
		it.onEnd(0, nil)
		it.onResponse(0, 200, nil, nil, 0)
		it.onHead(7, 200, nil)
		it.onItems(7, []piece{{}})
		it.onOpen(7, "", nil)
		it.onFailure(7, "x", "y")
		it.fired(9)
		_, err := given.Reply()
		return err
	})
	run := NewScript().On("GET", "/a").Reply(200, "").Run(plugin, "{}")
	endsAs(t, run, "check: an exchange that was cancelled is waited for")
	equal(t, run.Cancelled(), []Exchange{0})
}

func TestAFlowRunsForWhatItWaitsForAndKeepsNothingElse(t *testing.T) {
	resumed := 0
	plugin := flow(func(ctx *Context) error {
		resume := ctx.it.runner.resume
		ctx.it.runner.resume = func() (struct{}, bool) { resumed++; return resume() }
		defer func() { ctx.it.runner.resume = resume }()
		stream, slow := ctx.Get("/s").StartEvents(), ctx.Get("/slow").Start()
		lost := ctx.Get("/lost").Start()
		if _, err := slow.Reply(); err != nil {
			return err
		}
		equal(t, resumed, 1) // not by the stream
		equal(t, []bool{stream.ready(), lost.ready()}, []bool{true, true})
		equal(t, len(ctx.it.exchanges), 0) // all three have ended
		return stream.Finish()
	})
	run := NewScript().On("GET", "/s").Stream(200).Events("a").Events("b").End().On("GET", "/lost").Fail("reset").
		On("GET", "/slow").After(time.Second).Reply(200, "").Run(plugin, "{}")
	endsAs(t, run, "ok")
}

func TestAStreamComesInBatches(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		stream, err := ctx.Get("/s").ExpectStatus(200).Events()
		if err != nil {
			return err
		}
		for {
			batch, err := stream.NextBatch()
			if err != nil {
				return err
			}
			if batch == nil {
				return nil
			}
			ctx.Lap(tDone, len(batch))
			for _, event := range batch {
				ctx.Log(LevelInfo, event.Type+" "+event.Data)
			}
		}
	})
	run := NewScript().On("GET", "/s").Stream(200).Events("a", "b").Pause(time.Second).Event("end", "c").End().Run(plugin, "{}")
	endsAs(t, run, "ok")
	equal(t, run.Logs(), []Logged{{LevelInfo, "message a"}, {LevelInfo, "message b"}, {LevelInfo, "end c"}})
	lap := Since{kind: sincePrevious}
	equal(t, run.Marks(), []Marked{
		{"done", lap, 2, time.Millisecond}, {"done", lap, 1, time.Second + time.Millisecond}})
	broken := NewScript().On("GET", "/s").Stream(200).Events("a").Fail("truncated").Run(plugin, "{}")
	endsAs(t, broken, "truncated")
	equal(t, len(broken.Logs()), 1)
	endsAs(t, NewScript().On("GET", "/s").Stream(500).End().Run(plugin, "{}"), "http_500")
	endsAs(t, NewScript().On("GET", "/s").Fail("refused").Run(plugin, "{}"), "refused")
}

func TestJSONInThePlaceOfEventsComesAsBytes(t *testing.T) {
	for most, outcome := range map[int]string{8: "ok", 7: "check: answer too large"} {
		run := NewScript().On("GET", "/s").ReplyJSON(400, map[string]int{"nn": 1}).Run(flow(func(ctx *Context) error {
			stream, err := ctx.Get("/s").Events()
			if err != nil {
				return err
			}
			bytes, err := stream.Bytes(most)
			ctx.Log(LevelInfo, string(bytes))
			return err
		}), "{}")
		endsAs(t, run, outcome)
		if outcome == "ok" {
			equal(t, run.Logs()[0].Text, `{"nn":1}`)
		}
	}
}

func TestLinesChunksAndHeads(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		lines, err := ctx.Get("/s").Lines()
		if err != nil {
			return err
		}
		for {
			line, more, err := lines.Next()
			if err != nil || !more {
				break
			}
			ctx.Log(LevelInfo, line)
		}
		chunks := ctx.Get("/s").StartChunks()
		head := ctx.Get("/s").StartHead()
		if err := head.Opened(); err != nil {
			return err
		}
		if Any(chunks, head) != 0 {
			return Failed("what is read first")
		}
		chunk, _, err := chunks.Next()
		if err != nil {
			return err
		}
		ctx.Log(LevelInfo, string(chunk))
		if err := chunks.Finish(); err != nil {
			return err
		}
		return head.Finish()
	})
	run := NewScript().On("GET", "/s").Reply(200, "a\r\n\nb").Run(plugin, "{}")
	endsAs(t, run, "ok")
	equal(t, run.Logs(), []Logged{{LevelInfo, "a"}, {LevelInfo, "b"}, {LevelInfo, "a\r\n\nb"}})
}

func TestASocketTalksAndCloses(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		socket, err := ctx.Socket("/ws").Name("talk").Field("x", "y").Subprotocol("chat").Timeout(time.Minute).Open()
		if err != nil {
			return err
		}
		socket.SendText("hello " + socket.Subprotocol())
		socket.SendBinary(nil)
		for {
			message, more, err := socket.Next()
			switch {
			case err != nil:
				return err
			case !more:
				return Failed("closed: " + socket.CloseInfo().Reason)
			case message.IsText() && message.Text == "bye":
				info, err := socket.Close(1000, "done")
				if err != nil || info == nil {
					return Failed("not closed")
				}
				return Ensure(*info == CloseInfo{1000, "done"}, "closed otherwise")
			}
			ctx.Count(tSum, 1)
		}
	})
	begun := func() *SocketScript { return NewScript().On("WS", "/ws").Open("chat").ExpectText("hello chat") }
	run := begun().Texts("a", "b").Binary("").Texts("bye").UntilClosed().Run(plugin, "{}")
	endsAs(t, run, "ok")
	equal(t, run.Counted("sum"), uint64(3))
	equal(t, run.Written(0), []Message{{Text: "hello chat"}, {Binary: []byte{}}})
	equal(t, run.Closed(0), &CloseInfo{1000, "done"})
	equal(t, run.Requests()[0].Subprotocols, []string{"chat"})
	endsAs(t, begun().Close(1001, "restart").Run(plugin, "{}"), "check: closed: restart")
	endsAs(t, begun().Fail("timeout_idle").Run(plugin, "{}"), "timeout_idle")
	endsAs(t, NewScript().On("WS", "/ws").Fail("upgrade_refused").Run(plugin, "{}"), "upgrade_refused")
	panics(t, "expected", func() { NewScript().On("WS", "/ws").Open("").ExpectText("other").UntilClosed().Run(plugin, "{}") })
}

func TestWhatIsNotScriptedIsShown(t *testing.T) {
	plugin := flow(func(ctx *Context) error { _, err := ctx.Get("/a?b=1").Send(); return err })
	panics(t, "GET /a?b=1\nscripted are, in this order:\n  GET /b", func() { NewScript().On("GET", "/b").Reply(200, "").Run(plugin, "{}") })
	panics(t, "outside of a script", func() { actCancel(0) })
}

func TestSetupSharesAndTheNextOneReads(t *testing.T) {
	type session struct {
		Token *string `json:"token"`
	}
	plugin := Plugin[NoConfig, string]{
		Manifest: testManifest,
		Configure: func(_ NoConfig, shared Shared) (string, error) {
			var s session
			if err := shared.Read(&s); err != nil || s.Token == nil {
				return "", err
			}
			return *s.Token, nil
		},
		Iterate: func(token string, ctx *Context) error { return Failed(token) },
		Setup: func(_ string, ctx *Context) error {
			equal(t, ctx.Arrival(), &Arrival{Client: 1})
			if err := ctx.Share([]int{1}); err == nil {
				t.Error("a list was shared")
			}
			return ctx.Share(map[string]any{"token": "t1", "more": 1})
		},
	}
	setup := NewScript().Setup(plugin, "{}")
	endsAs(t, setup, "ok")
	equal(t, setup.Shared(), `{"more":1,"token":"t1"}`)
	endsAs(t, NewScript().Shared(setup.Shared()).Run(plugin, "{}"), "check: t1")
	if err := NewScript().Shared(`{"token":3}`).Configure(plugin, "{}"); err == nil || err.Error() != "shared.token: the number 3, expected a text" {
		t.Error(err)
	}
	if NewScript().Teardown(plugin, "{}") != nil {
		t.Error("there is no teardown")
	}
}

func TestArrivalsAreTheirOwn(t *testing.T) {
	plugin := flow(func(ctx *Context) error {
		var row struct{ City string }
		if err := ctx.Row(&row); err != nil {
			return err
		}
		if ctx.Rng().Uint64() != ctx.Rng().Uint64() || ctx.Rng().Uint64() != NewRng(ctx.Arrival().Seed).Uint64() {
			return Failed("not repeatable")
		}
		ctx.Observe(tValue, float64(ctx.Arrival().Index))
		return Failed(row.City)
	})
	runs := NewScript().Arrival(func(a *Arrival) { a.Row = `{"city":"Rome"}` }).RunMany(plugin, "{}", 2)
	endsAs(t, runs[1], "check: Rome")
	equal(t, runs[1].Observed("value"), []float64{1})
	endsAs(t, NewScript().Run(plugin, "{}"), "check: no data row")
	endsAs(t, NewScript().Arrival(func(a *Arrival) { a.Row = `[]` }).Run(plugin, "{}"), "check: unexpected data row")
}

func TestTheSequenceIsThePublishedOne(t *testing.T) {
	rng := NewRng(1_234_567)
	for _, n := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		equal(t, rng.Uint64(), n)
	}
	seen := [3]int{}
	for range 3000 {
		at, _ := Pick(rng, []int{0, 1, 2})
		seen[at]++
		if unit := rng.Unit(); unit < 0 || unit >= 1 {
			t.Error(unit)
		}
	}
	for _, n := range seen {
		if n < 900 || n > 1100 {
			t.Error(seen)
		}
	}
	if _, ok := Pick(rng, []int{}); ok || rng.Below(0) != 0 || rng.Chance(0) || !rng.Chance(1) {
		t.Error("of nothing, something")
	}
}

func TestOnlyWhatIsUnreservedStandsForItself(t *testing.T) {
	equal(t, PercentEncode("a-b_c.d~1"), "a-b_c.d~1")
	equal(t, PercentEncode("a b/é?#%+*"), "a%20b%2F%C3%A9%3F%23%25%2B%2A")
	equal(t, strings.Contains(PercentEncode("\n"), "%0A"), true)
}
