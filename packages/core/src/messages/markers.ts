/**
 * Keys of a message's `metadata` by which the framework tells what a message is. The application's own code may set them; what
 * comes from a client must not: `hidden` keeps a message from people while the model reads it.
 */
export const MESSAGE_MARKERS: readonly string[] = ['hidden'];

/** The same of a session's `metadata`: where a branch comes from. */
export const SESSION_MARKERS: readonly string[] = ['branchedFrom', 'checkpointId'];
