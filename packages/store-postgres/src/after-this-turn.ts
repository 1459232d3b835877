/**
 * Calls back when this turn of the event loop is over. Taken when this module is loaded: a test that fakes timers does not mean
 * this one. Where there is none, what a turn does next comes first.
 */
export const afterThisTurn: (callback: () => void) => unknown =
  (globalThis as { setImmediate?: typeof setImmediate }).setImmediate ?? queueMicrotask;
