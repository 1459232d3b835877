// If this fails: clients that read nothing take the server down.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const READERS = 80;

interface ChatServer {
  readonly port: number;
  readonly url: string;
  /** Resolves when a line was said that often; rejects when the process ends before. */
  readonly said: (line: string, times: number) => Promise<void>;
}

async function startServer(): Promise<ChatServer> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-chat-'));
  const script = fileURLToPath(new URL('children/serve-chat.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      '--max-old-space-size=512',
      '--conditions=@helix-agents/source',
      script,
      join(folder, 'chat.db'),
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  let look = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    child.on('close', (code, signal) =>
      reject(new Error(`the server ended with ${code ?? signal}`)),
    );
  });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  child.stdout.on('data', (data) => {
    output += String(data);
    look();
  });
  const said: ChatServer['said'] = (line, times) => {
    const heard = new Promise<void>((resolve) => {
      look = () => {
        if (output.split(line).length > times) resolve();
      };
      look();
    });
    return Promise.race([heard, ended]);
  };
  await said('\n', 1);
  const port = Number(/port (\d+)\n/.exec(output)?.[1]);
  return { port, url: `http://127.0.0.1:${port}`, said };
}

function readNothing(port: number, request: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(`${request}\r\nhost: x\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** A server whose chat `c1` has one turn of 18 MB. */
async function startLongChat(): Promise<ChatServer> {
  const server = await startServer();
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Talk' }] };
  const response = await fetch(`${server.url}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'c1', messages: [message] }),
  });
  expect((await response.text()).length).toBeGreaterThan(18_000_000);
  return server;
}

it(`a server with a heap of 512 MB drops ${READERS} readers of a turn of 18 MB that read nothing, and serves the others (STRM-05)`, async () => {
  const { port, url, said } = await startLongChat();
  for (let count = 0; count < READERS; count += 1)
    readNothing(port, 'GET /chat/c1/stream HTTP/1.1');
  await said('chat.reader_dropped', READERS);
  const text = await (await fetch(`${url}/chat/c1/stream`)).text();
  expect(text).toContain('"type":"finish"');
  expect(text.length).toBeGreaterThan(18_000_000);
});

it.each(['the newest turn', 'an earlier turn'])(
  `a server with a heap of 512 MB drops ${READERS} readers of a snapshot of 18 MB that read nothing, and serves the others: %s (STRM-05)`,
  async (which) => {
    const { port, url, said } = await startLongChat();
    if (which === 'an earlier turn') {
      const message = { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Go on' }] };
      const body = JSON.stringify({ id: 'c1', messages: [message] });
      const headers = { 'content-type': 'application/json' };
      await (await fetch(`${url}/chat`, { method: 'POST', headers, body })).text();
    }
    for (let count = 0; count < READERS; count += 1)
      readNothing(port, 'GET /chat/c1/snapshot HTTP/1.1');
    await said('chat.reader_dropped', READERS);
    const text = await (await fetch(`${url}/chat/c1/snapshot`)).text();
    expect(text.length).toBeGreaterThan(18_000_000);
    const { messages } = JSON.parse(text) as { messages: { parts: object[] }[] };
    expect(messages[1]?.parts.length).toBeGreaterThan(36);
  },
);
