package engine

import (
	"fmt"
	"runtime"
	"strings"
)

// report is one line about a panic: what it was, and which functions of the plugin were running, the innermost first.
// Called from a deferred function of the goroutine that panics.
func report(cause any) string {
	var line strings.Builder
	if cause == nil {
		line.WriteString("the flow has ended its goroutine (runtime.Goexit)")
	} else {
		fmt.Fprintf(&line, "panicked: %v", cause)
	}
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	separator := " at "
	for {
		frame, more := frames.Next()
		if ofAuthor(frame.Function) {
			fmt.Fprintf(&line, "%s%s (%s:%d)", separator, frame.Function, frame.File, frame.Line)
			separator = ", "
		}
		if !more {
			return cut(strings.Map(onOneLine, line.String()), 4096)
		}
	}
}

// ofAuthor leaves out the runtime and this package.
func ofAuthor(function string) bool {
	switch {
	case function == "" || strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "iter."),
		strings.HasPrefix(function, "engine:"): // an export
		return false
	case strings.HasPrefix(function, "engine."):
		return strings.HasPrefix(function, "engine.Test") // the SDK's own tests are authors
	}
	return true
}

func onOneLine(r rune) rune {
	if r < ' ' {
		return ' '
	}
	return r
}
