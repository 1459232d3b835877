export { HelixPayloadTooLargeError, HelixStreamError } from '@helix-agents/core';
export { createHelixChatTransport } from './client/chat-transport.ts';
export type { HelixChatTransportOptions, ResumableChatTransport } from './client/chat-transport.ts';
export type { ConnectionOptions } from './client/connection.ts';
export {
  prepareHelixChatRequest,
  prepareHelixReconnectRequest,
} from './client/prepare-requests.ts';
export type {
  HelixChatRequestOptions,
  HelixReconnectRequestOptions,
} from './client/prepare-requests.ts';
export { createHelixSendAutomaticallyWhen } from './client/send-automatically.ts';
export type { InferAgentUIMessage, InferAgentUITools } from './ui/agent-message.ts';
export { withoutWithdrawn } from './ui/withdrawn.ts';
