// Both majors of the AI SDK, side by side: everything is driven through the real classes of each.
import { Chat as Chat7 } from '@ai-sdk/react';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { Chat as Chat6 } from 'ai-sdk-react-6';

export type Chat = Chat7<ai7.UIMessage>;
export type Transport = ai7.ChatTransport<ai7.UIMessage>;
type ChatInit = ConstructorParameters<typeof Chat7<ai7.UIMessage>>[0];

export interface Sdk {
  readonly name: string;
  readonly major: 6 | 7;
  readonly createChat: (init: ChatInit) => Chat;
  readonly DefaultChatTransport: typeof ai7.DefaultChatTransport;
  readonly stockPredicate: NonNullable<ChatInit['sendAutomaticallyWhen']>;
  readonly isValidChunk: (chunk: unknown) => Promise<boolean>;
  readonly readMessage: (chunks: readonly unknown[]) => Promise<ai7.UIMessage | undefined>;
  readonly isValidHistory: (messages: readonly unknown[]) => Promise<boolean>;
}

/** What both have under the same names. */
function sdkOf(name: string, major: 6 | 7, ai: typeof ai7, createChat: Sdk['createChat']): Sdk {
  return {
    name,
    major,
    createChat,
    DefaultChatTransport: ai.DefaultChatTransport,
    stockPredicate: (options) =>
      ai.lastAssistantMessageIsCompleteWithToolCalls(options) ||
      ai.lastAssistantMessageIsCompleteWithApprovalResponses(options),
    async isValidChunk(chunk) {
      const result = await ai.asSchema(ai.uiMessageChunkSchema).validate!(chunk);
      return result.success;
    },
    async readMessage(chunks) {
      const stream = new ReadableStream<ai7.UIMessageChunk>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk as ai7.UIMessageChunk);
          controller.close();
        },
      });
      let last: ai7.UIMessage | undefined;
      for await (const message of ai.readUIMessageStream({ stream, terminateOnError: true })) {
        last = message;
      }
      return last;
    },
    async isValidHistory(messages) {
      return (await ai.safeValidateUIMessages({ messages: [...messages] })).success;
    },
  };
}

export const sdks: readonly Sdk[] = [
  sdkOf(
    'ai 6',
    6,
    ai6 as unknown as typeof ai7,
    (init) => new Chat6(init as never) as unknown as Chat,
  ),
  sdkOf('ai 7', 7, ai7, (init) => new Chat7(init)),
];
