// If this fails: the stores do not load or work on Cloudflare's runtime.
import { fileURLToPath } from 'node:url';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { functionModel } from '@helix-agents/core';
import { describeServer, startWorker } from '@helix-agents/test-servers';
import { expect, it } from 'vitest';
import { openPostgres } from '../src/index.ts';
import { testPostgres } from './database.ts';

const entry = fileURLToPath(new URL('./workers/worker.ts', import.meta.url));

describeServer('postgres', () => {
  const postgres = testPostgres();

  it('suspends in one request and goes on in another, answered elsewhere', async () => {
    const workerd = await startWorker(entry, { serviceBindings: { POSTGRES: query } });
    try {
      const url = new URL('/in-a-worker', await workerd.ready).href;
      const ask = async (): Promise<unknown> => (await fetch(url)).json();
      expect(await ask()).toMatchObject({ status: 'suspended_client_tool' });
      const { stateStore, streamManager, close } = openPostgres(postgres.pool);
      const unused = functionModel(() => ({ type: 'text', content: '', shouldStop: true }));
      const executor = new JSAgentExecutor(stateStore, streamManager, unused);
      const answer = { sessionId: 'in-a-worker', toolCallId: 'call', approved: true };
      const { status } = await executor.submitToolResult({ kind: 'approval-response', ...answer });
      expect(status).toBe('accepted');
      close();
      expect(await ask()).toEqual({ status: 'completed', output: 'refunded 17' });
    } finally {
      await workerd.dispose();
    }
  }, 120_000);

  /** What reaches Postgres for a Worker. */
  async function query(request: { json(): Promise<unknown> }): Promise<Response> {
    const { text, values } = (await request.json()) as { text: string; values: unknown[] };
    try {
      const { rows, rowCount } = await postgres.pool.query(text, values);
      return Response.json({ rows, rowCount });
    } catch (error) {
      return Response.json(error, { status: 500 });
    }
  }
});
