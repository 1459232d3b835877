// If this fails: a server that dies, or whose reply is lost, makes another one start an agent twice, lose an answer, or leave a
// session behind that it wanted to end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HttpRemoteAgentTransport,
  RemoteUnreachableError,
  type RemoteStatus,
} from '@helix-agents/core';
import { startReplyProxy, type ReplyProxy } from '@helix-agents/test-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProcess, type ServerProcess } from './server-process.ts';

const LEASE_MS = 400;
const START = { sessionId: 'r-1', agentType: 'painter', message: 'color' };
const ANSWER = {
  kind: 'client-tool-result',
  sessionId: 'r-1',
  toolCallId: 'color',
  result: { color: 'red' },
  submissionId: 'one',
} as const;

/** A server behind a proxy that loses replies; killed, it comes back over the same database. */
class Remote {
  server!: ServerProcess;
  proxy!: ReplyProxy;
  transport!: HttpRemoteAgentTransport;
  readonly #database: string;

  constructor(database: string) {
    this.#database = database;
  }

  async open(): Promise<this> {
    this.server = await startProcess(this.#database, LEASE_MS);
    this.proxy = await startReplyProxy({ port: Number(new URL(this.server.url).port) });
    const url = `http://127.0.0.1:${this.proxy.port}`;
    this.transport = new HttpRemoteAgentTransport({ url, token: this.server.key });
    return this;
  }

  async close(): Promise<void> {
    this.server.child.kill('SIGKILL');
    await this.server.ended;
    await this.proxy.close();
  }

  /** Asks until it is answered: what was lost is sent again. */
  async surely<T>(ask: (transport: HttpRemoteAgentTransport) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask(this.transport);
      } catch (error) {
        if (!RemoteUnreachableError.isInstance(error)) throw error;
        if (this.server.child.exitCode === null && this.server.child.signalCode === null) continue;
        await this.proxy.close();
        await this.open();
      }
    }
  }

  /** Until nothing runs. A run whose owner was killed goes on by a resume. */
  async settled(): Promise<RemoteStatus> {
    for (;;) {
      const status = await this.surely((transport) => transport.status('r-1'));
      if (status && status.runStatus !== 'running') return status;
      await this.surely((transport) => transport.resume({ sessionId: 'r-1' }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function openRemote(): Promise<Remote> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-remote-'));
  const remote = await new Remote(join(folder, 'agents.db')).open();
  onTestFinished(async () => {
    await remote.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return remote;
}

/** What a parent does with an agent on another server, from its start to its end for good. */
async function driveToItsEnd(remote: Remote): Promise<void> {
  await remote.surely((transport) => transport.start(START));
  const asked = await remote.settled();
  expect(asked.openCalls.map(({ toolCallId }) => toolCallId)).toEqual(['color']);
  expect(await remote.surely((transport) => transport.submit(ANSWER))).toEqual({
    status: 'accepted',
  });
  await remote.surely((transport) => transport.resume({ sessionId: 'r-1', runId: asked.runId }));
  expect(await remote.settled()).toMatchObject({
    runStatus: 'completed',
    output: '{"color":"red"}',
  });
  await remote.surely((transport) => transport.abort({ sessionId: 'r-1' }));
}

const REQUESTS = [
  'GET /status',
  'POST /start',
  'POST /submit-tool-result',
  'POST /resume',
  'POST /abort',
];

describe('an agent on another server', () => {
  it.each(REQUESTS)('SUB-01 runs once where the reply to %s is lost', async (request) => {
    const remote = await openRemote();
    const lost = remote.proxy.loseReplyTo(request);
    await driveToItsEnd(remote);
    await lost;
    await checkOnce(remote);
  });

  it.each(REQUESTS)(
    'RES-03 runs once where its server is killed with the reply to %s',
    async (request) => {
      const remote = await openRemote();
      const { child } = remote.server;
      const killed = remote.proxy.loseReplyTo(request).then(() => child.kill('SIGKILL'));
      await driveToItsEnd(remote);
      await killed;
      await checkOnce(remote);
    },
  );

  it('never begins where an abort came first and the server was killed in between', async () => {
    const remote = await openRemote();
    const { child } = remote.server;
    void remote.proxy.loseReplyTo('POST /abort').then(() => child.kill('SIGKILL'));
    await remote.surely((transport) => transport.abort({ sessionId: 'r-1' }));
    const start = remote.surely((transport) => transport.start(START));
    await expect(start).rejects.toMatchObject({ remoteCode: 'session_not_resumable' });
    expect((await remote.server.client.session('r-1')).messages.total).toBe(0);
  });
});

/** One message, one question with one answer, and no way back. */
async function checkOnce(remote: Remote): Promise<void> {
  const { messages, openCalls } = await remote.server.client.session('r-1');
  expect(messages.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(openCalls).toEqual([]);
  await expect(
    remote.server.client.resume({ sessionId: 'r-1', message: 'more' }),
  ).rejects.toMatchObject({ code: 'session_not_resumable' });
}
