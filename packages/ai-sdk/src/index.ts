export {
  findExpiredPending,
  HelixPayloadTooLargeError,
  HelixStreamError,
} from '@helix-agents/core';
export {
  prepareHelixChatRequest,
  prepareHelixReconnectRequest,
} from './client/prepare-requests.ts';
export type {
  HelixChatRequestOptions,
  HelixReconnectRequestOptions,
} from './client/prepare-requests.ts';
export { buildSnapshot } from './server/build-snapshot.ts';
export type { ChatSnapshot } from './server/build-snapshot.ts';
export type { ChatDependencies } from './server/dependencies.ts';
export type { ChatPosition } from './server/chat-events.ts';
export { FrontendHandlerError } from './server/frontend-handler-error.ts';
export { getUIMessages } from './server/get-ui-messages.ts';
export type { UIMessagesOptions, UIMessagesPage } from './server/get-ui-messages.ts';
export { handleChatSnapshot } from './server/handle-chat-snapshot.ts';
export { handleChatStream } from './server/handle-chat-stream.ts';
export type { ChatStreamParams } from './server/handle-chat-stream.ts';
export { clearResumeCookie, createResumeCookie } from '@helix-agents/http';
export { extractResumeIntent } from './server/resume-intent.ts';
export type { ResumeIntent } from './server/resume-intent.ts';
export type { InferAgentUIMessage, InferAgentUITools } from './ui/agent-message.ts';
export type { ChatChunk, CommonChatChunk, LaterChatChunk } from './ui/chunks.ts';
export type { ChatMessage, ChatPart, ChatToolPart, SubAgentData } from './ui/messages.ts';
