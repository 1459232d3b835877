/**
 * Calls back at the end of this turn of the event loop. Taken when this module is loaded, so that fake timers of a test do not apply.
 * Where there is no `setImmediate`, it is a microtask.
 */
export const afterThisTurn: (callback: () => void) => unknown =
  (globalThis as { setImmediate?: typeof setImmediate }).setImmediate ?? queueMicrotask;
