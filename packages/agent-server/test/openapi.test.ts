import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { standInChat } from './chat-stand-in.ts';
import { everyRoute, toRequest } from './every-route.ts';
import { createTestServer } from './fixtures.ts';
import { checkAnswer, resolve } from './check-answer.ts';

describe('the OpenAPI document', () => {
  it('is served, and shows every route there is', async () => {
    const { server } = createTestServer();
    const served = await (await server.fetch(new Request('http://x/openapi.json'))).json();
    expect(served).toEqual(JSON.parse(JSON.stringify(server.openApi)));
    const shown = Object.entries(server.openApi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const called = everyRoute('{sessionId}').map(
      ({ method, path }) => `${method} ${decodeURIComponent(path.split('?')[0] ?? '')}`,
    );
    expect(shown.toSorted()).toEqual([...called, 'GET /health'].toSorted());
    for (const path of Object.keys(server.openApi.paths)) {
      expect(server.handles(path.replace('{sessionId}', 's'))).toBe(true);
    }
  });

  it('has schemas that can be read, and an id for each operation', () => {
    const { server } = createTestServer();
    const ajv = new Ajv2020({ strict: false });
    const ids = new Set<string>();
    for (const operation of Object.values(server.openApi.paths).flatMap((one) =>
      Object.values(one),
    )) {
      ids.add(operation.operationId);
      for (const response of Object.values(operation.responses)) {
        const content = (response['content'] ?? {}) as { [type: string]: { schema?: object } };
        for (const { schema = {} } of Object.values(content)) {
          expect(() => ajv.compile(resolve(server.openApi, schema))).not.toThrow();
        }
      }
    }
    expect(ids.size).toBe(everyRoute('s').length + 1);
    expect(ids).toContain('postSubmitToolResult');
    expect(ids).toContain('getSessionsById');
  });

  it('describes what every route answers, for a session that is there and one that is not', async () => {
    const { server, executor } = createTestServer(standInChat);
    const { painter } = (await import('./agents.ts')).agents;
    await (await executor.execute(painter!, 'both', { sessionId: 'here' })).result();
    for (const sessionId of ['here', 'nobody']) {
      for (const call of everyRoute(sessionId)) {
        const answer = await server.fetch(toRequest(call));
        await checkAnswer(server.openApi, call, answer);
      }
    }
  });
});
