// If this fails: one client can take so much memory that a server with a heap of 512 MB dies.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@helix-agents/store-sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProcess, type ServerProcess } from './server-process.ts';

const MB = 1_048_576;

async function startSmall(
  before: (file: string) => Promise<void> = async () => undefined,
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-memory-'));
  const file = join(folder, 'agents.db');
  await before(file);
  const served = await startProcess(file, 15_000, ['--max-old-space-size=512']);
  onTestFinished(async () => {
    served.child.kill('SIGKILL');
    await served.ended;
    rmSync(folder, { recursive: true, force: true });
  });
  return served;
}

/**
 * Each on a connection of its own: a server that is busy for longer than it keeps idle connections closes them as soon as it
 * has time again, also the one on which the next request has just been sent.
 */
function post(url: string, path: string, body: string): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body,
  });
}

describe('HTTP-11 a server with a heap of 512 MB', () => {
  const files = (count: number): string =>
    `{"agentType":"painter","message":[{"role":"user","content":"x","files":[${'0,'.repeat(count)}0]}]}`;
  const metadata = (count: number): string =>
    `{"agentType":"painter","message":"x","metadata":{${Array.from({ length: count }, (_, n) => `"${n}":0`).join()}}}`;

  it.each([
    ['1.5 million files', files(1_500_000), 1],
    ['100,000 files', files(100_000), 1],
    ['300,000 bad values of metadata', metadata(300_000), 1],
    ['60,000 bad values of metadata', metadata(60_000), 1],
    ['100 bad files', files(99), 20],
    [
      'lists in lists in their thousands',
      `{"message":${'[[],'.repeat(5)}${'[],'.repeat(400_000)}0`,
      1,
    ],
  ])('refuses %s in few words, twenty at once', async (_, body, most) => {
    const { url, client, memory } = await startSmall();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(url, '/start', body)));
    for (const answer of answers) {
      const text = await answer.text();
      // Twenty at once may be more than is held: those are to be sent again.
      expect([400, 503]).toContain(answer.status);
      expect(text.length).toBeLessThan(20_000);
      if (answer.status !== 400) continue;
      const { details } = JSON.parse(text) as { details: unknown[] };
      expect(details.length).toBeLessThanOrEqual(most);
    }
    expect(answers.some(({ status }) => status === 400)).toBe(true);
    expect(await client.health()).toEqual({ status: 'ok' });
    expect((await memory()).heapUsed).toBeLessThan(150 * MB);
  });

  it('holds 32 MB of the bodies of 150 strangers, and takes others when they have gone', async () => {
    const { url, client, memory } = await startSmall();
    const { rss: before } = await memory();
    const { hostname, port } = new URL(url);
    const almost = Buffer.alloc(4 * MB - 1, ' ');
    const head = `POST /start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${4 * MB}\r\n\r\n`;
    let refused = 0;
    let look = (): void => undefined;
    const sockets = Array.from({ length: 150 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        if (String(data).startsWith('HTTP/1.1 503')) refused += 1;
        look();
      });
      socket.write(head);
      socket.write(almost);
      return socket;
    });
    await new Promise<void>((resolve) => {
      // 32 MB are eight of them.
      look = () => refused >= 142 && resolve();
      look();
    });
    expect((await memory()).rss - before).toBeLessThan(250 * MB);
    for (const socket of sockets) socket.destroy();
    for (;;) {
      const answer = await post(url, '/start', '{"agentType":"painter","message":"hello"}');
      if (answer.status === 200) break;
      expect(answer.status).toBe(503);
    }
    expect(await client.health()).toEqual({ status: 'ok' });
  });

  it('lists sessions of a megabyte each in pages of a megabyte', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `s${n}`);
    const { client, memory } = await startSmall(async (file) => {
      const { stateStore, close } = openSqlite(file, { synchronous: 'normal' });
      const large = { text: 'x'.repeat(MB) };
      for (const id of ids)
        await stateStore.createSession(id, { agentType: 'painter', metadata: large });
      close();
    });
    const walk = async (): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await client.sessions({ limit: 200, ...(cursor && { cursor }) });
        expect(JSON.stringify(page).length).toBeLessThan(2 * MB);
        seen.push(...page.items.map(({ sessionId }) => sessionId));
        if (page.cursor === null) return seen;
        ({ cursor } = page);
      }
    };
    const walks = await Promise.all(Array.from({ length: 3 }, walk));
    for (const seen of walks) expect(seen.toSorted()).toEqual(ids.toSorted());
    expect((await memory()).heapUsed).toBeLessThan(150 * MB);
  });
});
