// If this fails: pages send what says nothing, or the package exports what it must not.
import { expect, it } from 'vitest';
// @ts-expect-error: nothing of this name is exported, not even a type.
import type { HelixChatTransport } from '../src/client.ts';
import * as client from '../src/client.ts';
import * as react from '../src/react.ts';
import * as server from '../src/index.ts';

it('a prepared POST needs neither number nor message id, and a prepared reconnect sends both', () => {
  const options = { api: '/api/chat', resumeFromSequence: 7, existingMessageId: 'reply-1' };
  const request = {
    id: 'c1',
    api: '/other',
    messages: [{}],
    trigger: 'submit-message',
    messageId: undefined,
  };
  const post = client.prepareHelixChatRequest(options)(request);
  expect([post.api, post.headers]).toEqual(['/api/chat', {}]);
  const reconnect = client.prepareHelixReconnectRequest(options)({ id: 'c1', api: '/other' });
  expect(reconnect).toEqual({
    api: '/api/chat/c1/stream',
    headers: { 'x-resume-from-sequence': '7', 'x-existing-message-id': 'reply-1' },
  });
});

it('no entry of the chat exports a HelixChatTransport', () => {
  const names: string[] = [client, react, server].flatMap((entry) => Object.keys(entry));
  expect(names).not.toContain(
    'HelixChatTransport' satisfies keyof { HelixChatTransport: HelixChatTransport },
  );
});
