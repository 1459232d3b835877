// If this fails: clients of a Node server that read nothing, or have left, keep what was made for them.
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { answerNode, sendResponse } from '../src/index.ts';

type Serve = (response: ServerResponse, request: Parameters<typeof answerNode>[0]) => void;

/** A client of a server that answers each request so. It reads nothing by itself. */
async function clientOf(serve: Serve, request = 'GET / HTTP/1.1'): Promise<Socket> {
  const server = createServer((incoming, response) => serve(response, incoming));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(`${request}\r\nhost: x\r\n\r\n`);
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

/** A body without end, or with one, and whether it was cancelled. */
function bodyOf(pull?: (controller: ReadableStreamDefaultController<Uint8Array>) => void) {
  let cancel = (): void => undefined;
  const cancelled = new Promise<void>((resolve) => {
    cancel = resolve;
  });
  const body = new ReadableStream<Uint8Array>({ ...(pull && { pull }), cancel: () => cancel() });
  return { body, cancelled };
}

it('a Node response of a client that takes nothing is cut off, and its body cancelled', async () => {
  const { body, cancelled } = bodyOf((controller) => controller.enqueue(new Uint8Array(65_536)));
  let closed: Promise<void> | undefined;
  await clientOf((response) => {
    closed = new Promise((resolve) => void response.on('close', resolve));
    void sendResponse(new Response(body), response, 50);
  });
  await cancelled;
  await closed;
});

it('a Node response that was written whole is cut off too when its client takes nothing', async () => {
  const destroyed = new Promise<ServerResponse>((resolve) => {
    void clientOf((response) => {
      response.on('close', () => resolve(response));
      void sendResponse(new Response(new Uint8Array(30_000_000)), response, 50);
    });
  });
  expect((await destroyed).writableFinished).toBe(false);
});

it('a Node response ends its body when the client left before there was an answer', async () => {
  const { body, cancelled } = bodyOf();
  const socket = await clientOf((response, request) => {
    const left = new Promise<void>((resolve) => void response.on('close', resolve));
    void answerNode(request, response, async () => {
      socket.destroy();
      await left;
      return new Response(body);
    });
  });
  await cancelled;
});

it('a POST of HTTP/1.1 without a length has no body', async () => {
  const asked = new Promise<Request>((resolve) => {
    void clientOf((response, request) => {
      void answerNode(request, response, async (made) => {
        resolve(made);
        return new Response(null, { status: 204 });
      });
    }, 'POST /chat/c1/interrupt HTTP/1.1');
  });
  expect((await asked).body).toBeNull();
});
