import type { UIMessage } from 'ai';
import { useCallback } from 'react';
import type { ChatPage } from './chat-page.ts';
import { findApproval } from './find-calls.ts';

export interface ApprovalAnswer {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
  /** The input to run with, where the person edited it. */
  readonly input?: unknown;
}

/** Answers an approval by its call; an edited input goes with it. */
export function useApprovals<Message extends UIMessage>({
  chat,
  edits,
}: ChatPage<Message>): (answer: ApprovalAnswer) => Promise<void> {
  return useCallback(
    async ({ toolCallId, approved, reason, input }: ApprovalAnswer) => {
      const approvalId = findApproval(chat.messages, toolCallId);
      if (approvalId === null) return;
      if (input === undefined) delete edits[toolCallId];
      else edits[toolCallId] = input;
      await chat.addToolApprovalResponse({ id: approvalId, approved, ...(reason && { reason }) });
    },
    [chat, edits],
  );
}
