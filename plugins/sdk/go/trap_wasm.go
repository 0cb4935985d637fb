package engine

// panicked logs what an author's code has done wrong, and traps: nothing of the call takes place, the line apart.
func panicked(cause any) {
	actLog(LevelError, report(cause))
	procExit(0) // the adapter's: it traps
}

// guard is for exports that run author's code outside of a flow.
func guard() {
	if cause := recover(); cause != nil {
		panicked(cause)
	}
}
