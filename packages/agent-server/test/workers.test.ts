// If this fails: the server does not run on Cloudflare's runtime, or streams and answers do not survive it.
import { fileURLToPath } from 'node:url';
import { startWorker } from '@helix-agents/test-servers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AgentClient, type FeedEvent } from '../src/client.ts';
import { settled } from './fixtures.ts';

let workerd: Awaited<ReturnType<typeof startWorker>>;
let baseUrl = '';

beforeAll(async () => {
  workerd = await startWorker(fileURLToPath(new URL('./workers/worker.ts', import.meta.url)), {
    durableObjects: { AGENTS: { className: 'Agents' } },
  });
  baseUrl = new URL('/api', await workerd.ready).href;
}, 120_000);
afterAll(() => workerd?.dispose(), 60_000);

it('starts, streams, suspends, takes an answer and goes on, in workerd', async () => {
  const client = new AgentClient({ baseUrl, token: 'worker' });
  expect(await client.health()).toEqual({ status: 'ok' });
  const { sessionId } = await client.start({ agentType: 'painter', message: 'paint' });
  const first = await readAll(client, sessionId);
  expect(words(first)).toBe('let me see ');
  expect(first.at(-1)).toMatchObject({
    type: 'end',
    data: { runStatus: 'suspended_client_tool', toolCallIds: ['color'] },
  });
  const answer = { sessionId, toolCallId: 'color', result: { color: 'red' } };
  expect(await client.submit({ kind: 'client-tool-result', ...answer })).toEqual({
    status: 'accepted',
  });
  await client.resume({ sessionId });
  expect(await settled(client, sessionId)).toBe('completed');
  expect(await client.status(sessionId)).toMatchObject({ output: 'It is {"color":"red"}' });
  const whole = await readAll(client, sessionId);
  const numbers = whole.flatMap((event) => (event.type === 'chunk' ? [event.sequence] : []));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(await readAll(client, sessionId, numbers.length - 2)).toEqual(whole.slice(-3));
}, 60_000);

it('sends chunks as they come, to several readers of one stream', async () => {
  const client = new AgentClient({ baseUrl, token: 'worker' });
  const { sessionId } = await client.start({ agentType: 'painter', message: 'paint' });
  const reading = [readAll(client, sessionId), readAll(client, sessionId)];
  const stream = client.stream(sessionId);
  const live = await stream.next();
  expect(live.value).toMatchObject({ type: 'chunk', sequence: 1 });
  await stream.return(undefined);
  const [one, two] = await Promise.all(reading);
  expect(words(one ?? [])).toBe('let me see ');
  expect(two).toEqual(one);
}, 60_000);

it('gives an agent skills that are part of the program', async () => {
  const client = new AgentClient({ baseUrl, token: 'worker' });
  const { sessionId } = await client.start({ agentType: 'clerk', message: 'refund' });
  const events = await readAll(client, sessionId);
  expect(await settled(client, sessionId)).toBe('completed');
  const { output } = await client.status(sessionId);
  const [prompt, loaded, read] = JSON.parse(output as string) as string[];
  expect(prompt).toContain('<skill name="tone" loaded="true">How to speak.</skill>');
  expect(prompt).toContain('<skill name="tone">\nBe kind.\n</skill>');
  expect(loaded).toMatch(/^<skill name="refunds">\nRead limits\.md\.[^]*limits\.md \(7 bytes\)/);
  expect(read).toBe('two');
  expect(JSON.stringify(events)).toContain('skill_loaded');
}, 60_000);

it('refuses who it does not know, and what it cannot read', async () => {
  await expect(new AgentClient({ baseUrl }).status('s')).rejects.toMatchObject({ statusCode: 401 });
  const known = new AgentClient({ baseUrl, token: 'worker' });
  await expect(known.status('nobody')).rejects.toMatchObject({ statusCode: 404 });
  const headers = { authorization: 'Bearer worker', 'content-type': 'application/json' };
  const broken = await fetch(`${baseUrl}/start`, { method: 'POST', headers, body: '{' });
  expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  const huge = JSON.stringify({ agentType: 'painter', message: 'x'.repeat(5_000_000) });
  // It is answered before all of it is read: who is still writing may hear of the closed connection first.
  const refused = await vi.waitFor(
    () => fetch(`${baseUrl}/start`, { method: 'POST', headers, body: huge }),
    { timeout: 300_000 },
  );
  expect([refused.status, await refused.json()]).toMatchObject([
    413,
    { code: 'PAYLOAD_TOO_LARGE' },
  ]);
}, 60_000);

async function readAll(client: AgentClient, sessionId: string, after = 0): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for await (const event of client.stream(sessionId, { after })) events.push(event);
  return events;
}

function words(events: readonly FeedEvent[]): string {
  return events
    .flatMap((event) =>
      event.type === 'chunk' && event.chunk.type === 'text_delta' ? [event.chunk.delta] : [],
    )
    .join('');
}
