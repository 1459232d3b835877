import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that sends what it is told, byte for byte. */
export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** Resolves with all that came when the other side closed, or when `until` is in it. */
  received(until?: string): Promise<string>;
}

export function connectRaw(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const waiting = new Set<() => void>();
  socket.on('data', (data) => {
    text += data.toString('latin1');
    for (const look of waiting) look();
  });
  // A server that refuses early may reset the connection; what it said counts.
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    async received(until) {
      const found = new Promise<void>((resolve) => {
        const look = (): void => {
          if (until !== undefined && text.includes(until)) resolve();
        };
        waiting.add(look);
        look();
      });
      await Promise.race([closed, found]);
      return text;
    },
  };
}

/** Sends a whole request and says the status and body of the answer. */
export async function sendRaw(
  url: string,
  head: readonly string[],
  body: string = '',
): Promise<{ readonly status: number; readonly head: string; readonly body: string }> {
  const connection = connectRaw(url);
  connection.send([...head, 'Host: server', 'Connection: close', '', body].join('\r\n'));
  const text = await connection.received();
  const [answerHead = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answerHead)?.[1]);
  return { status, head: answerHead, body: rest.join('\r\n\r\n') };
}
