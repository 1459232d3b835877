/** Names both halves agree on. */
export const RESUME_FROM_SEQUENCE = 'x-resume-from-sequence';
export const EXISTING_MESSAGE_ID = 'x-existing-message-id';
export const LAST_EVENT_ID = 'last-event-id';
/** What the client understands beyond the chunks of `ai` 6. */
export const CAPABILITIES = 'x-helix-chat-capabilities';
export const AI_SDK_7 = 'ai-sdk-7';
export const SESSION_ID = 'x-session-id';
