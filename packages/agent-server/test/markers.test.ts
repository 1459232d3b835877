// If this fails: a client can hide what it tells the model from the people who watch.
import { describe, expect, it } from 'vitest';
import { createTestServer } from './fixtures.ts';

const post = (path: string, body: object): Request =>
  new Request(`http://x${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const said = (metadata: object) => [{ role: 'user', content: 'psst', metadata }];

describe("the framework's own metadata", () => {
  it.each([
    ['a message of /start', '/start', { agentType: 'painter', message: said({ hidden: true }) }],
    [
      'a message of /start, with any value',
      '/start',
      { agentType: 'painter', message: said({ hidden: 0 }) },
    ],
    ['a message of /resume', '/resume', { sessionId: 's', message: said({ hidden: true }) }],
    [
      'a session',
      '/start',
      { agentType: 'painter', message: 'x', metadata: { branchedFrom: 's' } },
    ],
    [
      'a session, where a branch began',
      '/start',
      { agentType: 'painter', message: 'x', metadata: { checkpointId: 'c' } },
    ],
  ])('is not a client’s to set: on %s', async (_of, path, body) => {
    const { server } = createTestServer();
    const answer = await server.fetch(post(path, body));
    expect(answer.status).toBe(400);
    const { details } = (await answer.json()) as { details: { path: string; message: string }[] };
    expect(details).toMatchObject([
      {
        path: expect.stringMatching(/metadata\.\w+$/),
        message: expect.stringContaining('leave it out'),
      },
    ]);
  });

  it('leaves other metadata alone, and the server’s own code may set it', async () => {
    const { server, stores } = createTestServer();
    const metadata = { source: 'form' };
    const body = { sessionId: 's1', agentType: 'painter', message: said(metadata) };
    expect((await server.fetch(post('/start', body))).status).toBe(200);
    expect((await stores.stateStore.getAllMessages('s1'))[0]).toMatchObject({ metadata });
    const message = said({ hidden: true }) as never;
    await server.startAgent({ sessionId: 's2', agentType: 'painter', message });
    expect((await stores.stateStore.getAllMessages('s2'))[0]).toMatchObject({
      metadata: { hidden: true },
    });
  });
});
