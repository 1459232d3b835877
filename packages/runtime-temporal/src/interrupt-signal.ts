/** A signal of this name to the workflow of a session's run is an interrupt of it; its argument is the reason. */
export const INTERRUPT_SIGNAL_NAME = 'interrupt';
