// If this fails: a client takes an answer that broke off for a refusal, and does not send it again.
import { HelixError } from '@helix-agents/core';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { AgentClient } from '../src/client.ts';

/** A client of a server that says this to every request and hangs up. */
async function clientTold(text: string): Promise<AgentClient> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return new AgentClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const submission = { sessionId: 's', toolCallId: 'c', result: 1 };

it.each(['200 OK', '409 Conflict'])(
  'AgentClient takes a %s whose body breaks off for a broken connection, not for an answer',
  async (status) => {
    const client = await clientTold(`HTTP/1.1 ${status}\r\ncontent-length: 100\r\n\r\n{"status":`);
    for (const ask of [() => client.submit(submission), () => client.status('s')]) {
      const error: unknown = await ask().then(
        () => 'an answer',
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(TypeError);
      expect(HelixError.isInstance(error)).toBe(false);
    }
  },
);

it('AgentClient takes a page of something in between for no answer', async () => {
  const page = '<html>wait</html>';
  const client = await clientTold(
    `HTTP/1.1 200 OK\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
  );
  await expect(client.submit(submission)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(client.status('s')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
