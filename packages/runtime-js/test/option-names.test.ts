// If this fails: a call does more, or shows more, than it was asked for because an option was misspelled.
import { defineAgent, functionModel, InvalidRequestError } from '@helix-agents/core';
import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import { JSAgentExecutor } from '../src/index.ts';

const agent = defineAgent({ name: 'a', systemPrompt: 'You answer.' });
const model = functionModel(() => ({ type: 'text', content: 'done', shouldStop: true }));
const executor = new JSAgentExecutor(new InMemoryStateStore(), new InMemoryStreamManager(), model);
const odd = (options: object): never => options as never;

it.each([
  ['execute', () => executor.execute(agent, 'go', odd({ session: 's' })), 'sessionId'],
  ['execute', () => executor.execute(agent, odd({ messages: [] })), 'message'],
  [
    'execute',
    () => executor.execute(agent, 'go', odd({ hooks: { onDone() {} } })),
    '`onAgentStart`',
  ],
  ['resume', () => executor.resume(agent, 's', odd({ checkpoint: 'c' })), 'checkpointId'],
  ['resume', () => executor.resume(odd({ sessionId: 's', chekpointId: 'c' })), 'checkpointId'],
  ['listSessions', () => executor.listSessions(odd({ user: 'ada' })), 'userId'],
  ['listOpenCalls', () => executor.listOpenCalls(odd({ sessionId: 's' })), 'rootSessionId'],
  ['branchSession', () => executor.branchSession('s', odd({ checkpoint: 'c' })), 'checkpointId'],
  ['interrupt', () => executor.interrupt('s', 'why', odd({ service: 's' })), 'serviceName'],
  ['pruneSessions', () => executor.pruneSessions(odd({ olderThan: 1, status: [] })), 'statuses'],
  ['trimStreams', () => executor.trimStreams(odd({ olderThan: 1, limits: 3 })), 'limit'],
])('%s refuses an option that does not exist and says the nearest', async (_call, call, meant) => {
  await expect(call()).rejects.toThrow(meant);
  await expect(call()).rejects.toMatchObject({
    code: expect.stringMatching(/^(INVALID_REQUEST|definition_invalid)$/),
  });
  expect((await executor.listSessions()).items).toEqual([]);
});

it.each(['', '  ', '\n'])('execute refuses a message without text: %j', async (text) => {
  await expect(executor.execute(agent, text)).rejects.toThrow(InvalidRequestError);
  const empty = { role: 'user', content: text } as const;
  await expect(executor.execute(agent, { message: [empty] })).rejects.toThrow('is empty');
  const files = [{ data: 'data:text/plain;base64,aGk=', mediaType: 'text/plain' }];
  const handle = await executor.execute(agent, { message: [{ ...empty, files }] });
  expect(await handle.result()).toMatchObject({ status: 'completed' });
  await executor.pruneSessions({ olderThan: 0 });
});

it('a handle of a stream that is gone reads nothing', async () => {
  const handle = await executor.execute(agent, 'go', { sessionId: 'gone' });
  await handle.result();
  await executor.pruneSessions({ olderThan: 0 });
  const heard: unknown[] = [];
  for await (const chunk of handle) heard.push(chunk);
  expect(heard).toEqual([]);
});
