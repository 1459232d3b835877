// A model provider on this machine that speaks the wire formats of OpenAI and Anthropic. Without vitest.
export type { WireAnswer, WireCall, WireFormat } from './wire/answer.ts';
export { SIGNATURE, USAGE } from './wire/answer.ts';
export { anthropicMessages } from './wire/anthropic.ts';
export { openaiChat } from './wire/openai-chat.ts';
export { openaiResponses } from './wire/openai-responses.ts';
export type { WireReply, WireServer } from './wire/server.ts';
export { startWire } from './wire/server.ts';
