import type { JsonValue, Message, ToolMessage } from '@helix-agents/core';
import type { TreeDump } from './tree-dump.ts';

/** What a scenario came to, without ids, times and the number of runs it took. */
export interface Story {
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly status: string;
    readonly state: JsonValue;
    readonly output: JsonValue;
    readonly error: string | null;
    readonly messages: readonly JsonValue[];
  }[];
}

export const UNKNOWN_OUTCOME = 'tool_outcome_unknown';

export function storyOf(dump: TreeDump, withChildren: boolean): Story {
  const sessions = withChildren ? dump.sessions : dump.sessions.slice(0, 1);
  return {
    sessions: sessions.map(({ session, messages }) => ({
      sessionId: session.sessionId,
      status: session.status,
      state: session.customState,
      output: session.output,
      error: session.error?.code ?? null,
      messages: messages.map(plain),
    })),
  };
}

/**
 * The same story where a crash came between the start of a `once` tool and its result: the model was told that the
 * outcome is unknown. Every other difference stays a difference.
 */
export function withKnownOutcomes(story: Story, undisturbed: Story): Story {
  return {
    sessions: story.sessions.map((session, at) => ({
      ...session,
      messages: session.messages.map((message, position) =>
        isUnknown(message) ? (undisturbed.sessions[at]?.messages[position] ?? message) : message,
      ),
    })),
  };
}

function isUnknown(message: JsonValue): boolean {
  return JSON.stringify(message).includes(`"code":"${UNKNOWN_OUTCOME}"`);
}

export function unknownResults(dump: TreeDump): ToolMessage[] {
  return dump.sessions
    .flatMap(({ messages }) => messages)
    .filter((message): message is ToolMessage => message.role === 'tool')
    .filter((message) => message.errorDetail?.code === UNKNOWN_OUTCOME);
}

function plain(message: Message): JsonValue {
  const { id: _id, ...rest } = message as Message & { id?: string };
  return JSON.parse(JSON.stringify(rest)) as JsonValue;
}
