export {
  prepareHelixChatRequest,
  prepareHelixReconnectRequest,
} from './client/prepare-requests.ts';
export type {
  HelixChatRequestOptions,
  HelixReconnectRequestOptions,
} from './client/prepare-requests.ts';
export type { ConnectionOptions } from './client/connection.ts';
export { createHelixSendAutomaticallyWhen } from './client/send-automatically.ts';
export type { UseHelixChatOptions } from './react/chat-options.ts';
export type { HydratedSnapshot } from './react/fetch-snapshot.ts';
export type { ApprovalAnswer } from './react/use-approvals.ts';
export { useAutoResync } from './react/use-auto-resync.ts';
export type { UseAutoResyncOptions } from './react/use-auto-resync.ts';
export { useHelixChat } from './react/use-helix-chat.ts';
export type { HelixChatHelpers } from './react/use-helix-chat.ts';
export { useHelixSendAutomaticallyWhen } from './react/use-helix-send-automatically-when.ts';
export { useResumableChat } from './react/use-resumable-chat.ts';
export type { ResumableChatHelpers } from './react/use-resumable-chat.ts';
export { useResumeClientTools } from './react/use-resume-client-tools.ts';
export type {
  ToolChat,
  ToolHandler,
  ToolHandlers,
  ToolHandlersOf,
  UseResumeClientToolsOptions,
} from './react/use-resume-client-tools.ts';
export { useToolCall } from './react/use-tool-call.ts';
export type { CardChat, ToolCallCard, ToolCallStatus, ToolPart } from './react/use-tool-call.ts';
export type { InferAgentUIMessage, InferAgentUITools } from './ui/agent-message.ts';
export { withoutWithdrawn } from './ui/withdrawn.ts';
