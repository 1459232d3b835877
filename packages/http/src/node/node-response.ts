import type { NodeResponse } from './node-types.ts';

/** Sends a web response over Node. A reader that is slow is waited for; one that has gone ends the body. */
export async function sendResponse(answer: Response, response: NodeResponse): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    if (name !== 'set-cookie') response.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  // What was refused before it was read would be taken for the next request.
  if (answer.status === 411 || answer.status === 413 || answer.status === 408)
    response.setHeader('connection', 'close');
  if (!answer.body) {
    response.end();
    return;
  }
  response.flushHeaders();
  const reader = answer.body.getReader();
  let isGone = false;
  let goOn = (): void => undefined;
  const stop = (): void => {
    isGone = true;
    goOn();
    reader.cancel().catch(() => undefined);
  };
  response.on('close', stop);
  response.on('error', stop);
  response.on('drain', () => goOn());
  // A body that breaks while its reader is waited for.
  reader.closed.catch(() => response.destroy());
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (response.write(value) || isGone) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
  response.end();
}
