// If this fails: a body without an end is taken into memory by whoever reads it with `request.json()`.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createWebResponseExpressMiddleware } from '../src/adapters/express.ts';

async function serve(maxBodyBytes?: number): Promise<{ port: number; failed: unknown[] }> {
  const failed: unknown[] = [];
  const middleware = createWebResponseExpressMiddleware(
    async (request) => Response.json(await request.json()),
    maxBodyBytes === undefined ? {} : { maxBodyBytes },
  );
  const server = createServer((request, response) =>
    middleware(request as never, response, (error) => {
      failed.push(error);
      response.writeHead(500).end();
    }),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, failed };
}

it('the Express middleware answers 413 for a body beyond its limit, declared or not', async () => {
  const { port, failed } = await serve(1_000);
  const post = (body: BodyInit, more: object = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, ...more });
  expect((await post(JSON.stringify('x'.repeat(998)))).status).toBe(200);
  const declared = await post(JSON.stringify('x'.repeat(999)));
  expect([declared.status, await declared.json()]).toMatchObject([
    413,
    { code: 'PAYLOAD_TOO_LARGE' },
  ]);
  const chunked = new Blob(['"', 'x'.repeat(5_000), '"']).stream();
  expect((await post(chunked, { duplex: 'half' })).status).toBe(413);
  expect(failed).toEqual([]);
});

it('the Express middleware reads 4 MB of a body that does not end, and then answers', async () => {
  const { port } = await serve();
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  const answered = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data)));
  });
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  const part = `10000\r\n${' '.repeat(65_536)}\r\n`;
  const send = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', send);
  send();
  expect(await answered).toContain('HTTP/1.1 413');
});
