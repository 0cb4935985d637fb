// Whose event is being handled. A component is single-threaded: there is one at a time. An object, and no functions
// around it: a call costs QuickJS more than what most of them would do.

/** The iteration whose event is being handled, and the task whose code is running; null where there is none. */
export const current = { iteration: null, task: null };
