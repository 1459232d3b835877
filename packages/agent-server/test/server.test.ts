import { expect, it } from 'vitest';
import { serve, settled } from './fixtures.ts';

it('runs a session over HTTP, asks, takes the answer and goes on', async () => {
  const { client } = await serve();
  const { sessionId, created } = await client.start({ agentType: 'painter', message: 'color' });
  expect(created).toBe(true);
  expect(await settled(client, sessionId)).toBe('suspended_client_tool');
  const status = await client.status(sessionId);
  expect(status).toMatchObject({ status: 'active', awaitingClientTool: true });
  const [call] = status.openCalls;
  expect(call).toMatchObject({ toolName: 'pick_color', kind: 'client', sessionId });
  const submission = {
    kind: 'client-tool-result',
    sessionId,
    toolCallId: call!.toolCallId,
    result: { color: 'green' },
  } as const;
  expect(await client.submit(submission)).toEqual({ status: 'accepted' });
  expect(await client.submit(submission)).toEqual({ status: 'already_completed' });
  await client.resume({ sessionId });
  const events = [];
  for await (const event of client.stream(sessionId)) events.push(event);
  const last = events.at(-1);
  expect(last).toMatchObject({
    type: 'end',
    data: { status: 'completed', output: '{"color":"green"}' },
  });
  const numbers = events.flatMap((event) => (event.type === 'chunk' ? [event.sequence] : []));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
