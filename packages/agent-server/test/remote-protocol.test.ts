// If this fails: a server that lets agents run on another one starts them twice, loses an answer, or cannot stop them for good.
import {
  HttpRemoteAgentTransport,
  RemoteRefusedError,
  type RemoteEvent,
  type RemoteStatus,
} from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { AgentClient } from '../src/client.ts';
import type { Authenticate } from '../src/index.ts';
import { serve, settled, type Served } from './fixtures.ts';

const START = { sessionId: 'r-1', agentType: 'painter', message: 'color' };

/** Callers are named by their token; `forwarder` is trusted with names of others. */
const byToken: Authenticate = ({ headers }) => {
  const id = headers['authorization']?.replace('Bearer ', '');
  return id === undefined ? false : { ok: true, principal: { id, answersFor: id === 'forwarder' } };
};

async function remote(
  overrides: Parameters<typeof serve>[0] = {},
  token = 'parent',
): Promise<Served & { readonly transport: HttpRemoteAgentTransport }> {
  const served = await serve({ authenticate: byToken, ...overrides });
  return { ...served, transport: new HttpRemoteAgentTransport({ url: served.url, token }) };
}

async function statusOf(
  transport: HttpRemoteAgentTransport,
  sessionId: string,
  isIt: (status: RemoteStatus) => boolean = ({ runStatus }) => runStatus !== 'running',
): Promise<RemoteStatus> {
  for (;;) {
    const status = await transport.status(sessionId);
    if (status && isIt(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function post(url: string, path: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer parent', ...headers },
    body: JSON.stringify(body),
  });
}

const refused = (remoteCode: string): object => ({ code: 'remote_refused', remoteCode });

describe('a start for another server', () => {
  it('begins one run, however often it comes, and says the same after the end', async () => {
    const { transport, executor } = await remote();
    const started = await Promise.all(Array.from({ length: 10 }, () => transport.start(START)));
    expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
    const hello = { ...START, sessionId: 'r-2', message: 'hello' };
    const { runId } = await transport.start(hello);
    expect(await statusOf(transport, 'r-2')).toMatchObject({ runStatus: 'completed', runId });
    expect(await transport.start(hello)).toEqual({ sessionId: 'r-2', runId });
    expect((await executor.listRuns('r-2')).runs).toHaveLength(1);
  });

  it('is refused with another input, another agent, and for a session that was started otherwise', async () => {
    const { transport, url } = await remote();
    await transport.start(START);
    const other = transport.start({ ...START, message: 'pay' });
    await expect(other).rejects.toMatchObject({ ...refused('START_DIFFERS'), status: 409 });
    await expect(transport.start({ ...START, agentType: 'nobody' })).rejects.toMatchObject(
      refused('NOT_FOUND'),
    );
    await post(url, '/start', { ...START, sessionId: 'plain' });
    const taken = transport.start({ ...START, sessionId: 'plain' });
    await expect(taken).rejects.toMatchObject(refused('START_DIFFERS'));
  });

  it('is as before without the header: an ended session answers ALREADY_COMPLETED', async () => {
    const { transport, url } = await remote();
    const hello = { ...START, message: 'hello' };
    await transport.start(hello);
    await statusOf(transport, START.sessionId);
    const again = await post(url, '/start', hello);
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'ALREADY_COMPLETED' }]);
    expect(again.headers.get('x-helix-protocol')).toBeNull();
  });

  it('that arrives after its time begins nothing, whatever the clock of the sender says', async () => {
    const ahead = 3_600_000;
    const { url, transport } = await remote({ now: () => Date.now() + ahead });
    const headers = { 'x-helix-protocol': '1' };
    const late = await post(url, '/start', { ...START, notAfter: Date.now() + 60_000 }, headers);
    expect([late.status, await late.json()]).toMatchObject([409, { code: 'START_TOO_LATE' }]);
    expect(await transport.status(START.sessionId)).toBeNull();
    const never = await post(url, '/start', START, headers);
    expect([never.status, await never.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }]);
  });

  it('goes by the clock there, also after it was set', async () => {
    let ahead = -7_200_000;
    const { server } = await remote({ now: () => Date.now() + ahead });
    const transport = new HttpRemoteAgentTransport({
      url: 'http://remote',
      token: 'parent',
      fetch: (target, options) => server.fetch(new Request(target as string, withLength(options))),
    });
    await transport.start(START);
    ahead = 7_200_000;
    expect(await transport.start({ ...START, sessionId: 'r-2' })).toMatchObject({
      sessionId: 'r-2',
    });
  });
});

/** A request in this process has a length, as one over HTTP has. */
function withLength(options: RequestInit = {}): RequestInit {
  const headers = new Headers(options.headers);
  if (typeof options.body === 'string')
    headers.set('content-length', String(new TextEncoder().encode(options.body).length));
  return { ...options, headers, redirect: 'follow' };
}

describe('an abort by another server', () => {
  it('leaves nothing to start under an id that was not used, and is told twice', async () => {
    const { transport } = await remote();
    expect(await transport.abort({ sessionId: 'r-1' })).toEqual({ status: 'aborted' });
    expect(await transport.abort({ sessionId: 'r-1' })).toEqual({ status: 'too_late' });
    await expect(transport.start(START)).rejects.toMatchObject(refused('session_not_resumable'));
    expect(await transport.status('r-1')).toMatchObject({
      runStatus: 'failed',
      error: { code: 'run_aborted' },
      openCalls: [],
      streamSequence: 0,
    });
  });

  it('races a start: the session runs and is closed, or never began', async () => {
    const { transport, executor } = await remote();
    const ids = Array.from({ length: 12 }, (_, index) => `r-${index}`);
    await Promise.all(
      ids.map(async (sessionId) => {
        const start = transport.start({ ...START, sessionId, message: 'slow' });
        await Promise.all([start.catch(() => null), transport.abort({ sessionId })]);
      }),
    );
    for (const sessionId of ids) {
      expect(await transport.status(sessionId)).toMatchObject({ runStatus: 'failed' });
      await expect(executor.retry(sessionId)).rejects.toMatchObject({ reason: 'closed' });
    }
  });

  it('closes what waits for a person and what has ended: no message or retry goes on with it', async () => {
    const { transport, url } = await remote();
    await transport.start(START);
    const { openCalls } = await statusOf(transport, 'r-1');
    expect(await transport.abort({ sessionId: 'r-1' })).toEqual({ status: 'aborted' });
    const [{ toolCallId } = { toolCallId: '' }] = openCalls;
    const answer = { kind: 'client-tool-result', sessionId: 'r-1', toolCallId } as const;
    const late = transport.submit({ ...answer, result: { color: 'red' }, submissionId: 'a' });
    expect(await late).toEqual({ status: 'unknown_tool_call', reason: 'cancelled' });
    for (const body of [{ retry: true }, { message: 'go on' }, {}]) {
      const back = await post(url, '/resume', { sessionId: 'r-1', ...body });
      expect([back.status, await back.json()]).toMatchObject([
        409,
        { code: 'session_not_resumable' },
      ]);
    }
    await transport.start({ ...START, sessionId: 'r-2', message: 'hello' });
    await statusOf(transport, 'r-2');
    expect(await transport.abort({ sessionId: 'r-2' })).toEqual({ status: 'too_late' });
    const next = await post(url, '/resume', { sessionId: 'r-2', message: 'go on' });
    expect(next.status).toBe(409);
    expect(await transport.status('r-2')).toMatchObject({ runStatus: 'completed' });
  });

  it('is none of the sessions of others: they look as if they were not there, and go on', async () => {
    const { transport, url } = await remote();
    await transport.start(START);
    const stranger = new HttpRemoteAgentTransport({ url, token: 'stranger' });
    expect(await stranger.status('r-1')).toBeNull();
    await expect(stranger.abort({ sessionId: 'r-1' })).rejects.toMatchObject({ status: 404 });
    await expect(stranger.start(START)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.resume({ sessionId: 'r-1' })).rejects.toMatchObject({ status: 404 });
    const answer = { kind: 'client-tool-result', sessionId: 'r-1', toolCallId: 'color' } as const;
    const submitted = stranger.submit({ ...answer, result: { color: 'red' }, submissionId: 'a' });
    expect(await submitted).toEqual({ status: 'unknown_tool_call', reason: 'session_not_found' });
    expect(await statusOf(transport, 'r-1')).toMatchObject({
      openCalls: [{ toolName: 'pick_color' }],
    });
  });
});

describe('an answer through another server', () => {
  it('SUB-01 is taken once and accepted again by its id; RES-02 a resume may come twice', async () => {
    const { transport } = await remote();
    await transport.start(START);
    const { openCalls, runId } = await statusOf(transport, 'r-1');
    expect(openCalls).toMatchObject([
      { toolName: 'pick_color', kind: 'client', agentType: 'painter', approvalId: null },
    ]);
    const toolCallId = openCalls[0]?.toolCallId ?? '';
    const answer = { kind: 'client-tool-result', sessionId: 'r-1', toolCallId } as const;
    const red = { ...answer, result: { color: 'red' }, submissionId: 'one' };
    const blue = { ...answer, result: { color: 'blue' }, submissionId: 'two' };
    expect(await transport.submit(red)).toEqual({ status: 'accepted' });
    expect(await transport.submit(red)).toEqual({ status: 'accepted' });
    expect(await transport.submit(blue)).toEqual({ status: 'already_completed' });
    const resumed = await Promise.all(
      Array.from({ length: 5 }, () => transport.resume({ sessionId: 'r-1', runId })),
    );
    expect(new Set(resumed.map((run) => run?.runId)).size).toBe(1);
    expect(await statusOf(transport, 'r-1')).toMatchObject({ output: '{"color":"red"}' });
    // After the end: nothing to go on with, and the answer is still the one that was taken.
    expect(await transport.resume({ sessionId: 'r-1' })).toBeNull();
    expect(await transport.resume({ sessionId: 'r-1', runId })).toMatchObject({ sessionId: 'r-1' });
    expect(await transport.submit(red)).toEqual({ status: 'accepted' });
  });

  it('that breaks the schema there is refused, and the call stays open', async () => {
    const { transport } = await remote();
    await transport.start(START);
    const { openCalls } = await statusOf(transport, 'r-1');
    const toolCallId = openCalls[0]?.toolCallId ?? '';
    const answer = { kind: 'client-tool-result', sessionId: 'r-1', toolCallId } as const;
    const wrong = transport.submit({ ...answer, result: 7, submissionId: 'one' });
    await expect(wrong).rejects.toMatchObject({ ...refused('INVALID_RESULT'), status: 400 });
    expect((await transport.status('r-1'))?.openCalls).toHaveLength(1);
  });

  it.each([
    ['forwarder', 'forwarder/ann'],
    ['parent', 'parent'],
  ])('is kept with who gave it where %s is believed: %s', async (token, answeredBy) => {
    const { transport, url } = await remote({}, token);
    await transport.start({ ...START, message: 'pay' });
    const { openCalls } = await statusOf(transport, 'r-1');
    const toolCallId = openCalls[0]?.toolCallId ?? '';
    const yes = {
      kind: 'approval-response',
      sessionId: 'r-1',
      toolCallId,
      approved: true,
    } as const;
    if (token === 'forwarder') {
      const nameless = transport.submit({ ...yes, submissionId: 'one', answeredBy: 'a\n' });
      await expect(nameless).rejects.toMatchObject(refused('INVALID_REQUEST'));
    }
    await transport.submit({ ...yes, submissionId: 'one', answeredBy: 'ann' });
    await transport.resume({ sessionId: 'r-1' });
    await statusOf(transport, 'r-1');
    const own = new AgentClient({ baseUrl: url, token });
    expect(await settled(own, 'r-1')).toBe('completed');
    const { messages } = await own.session('r-1');
    expect(messages.messages.find(({ role }) => role === 'tool')).toMatchObject({ answeredBy });
  });
});

describe('the protocol between servers', () => {
  it('is answered with its version and a date by every reply; an unknown version is 426', async () => {
    const { url } = await remote();
    const ask = (
      version: string,
      path: string,
      authorization = 'Bearer parent',
    ): Promise<Response> =>
      fetch(`${url}${path}`, { headers: { 'x-helix-protocol': version, authorization } });
    const replies = await Promise.all([
      ask('1', '/status?sessionId=none'),
      ask('1', '/nowhere'),
      ask('1', '/health'),
      ask('2', '/status?sessionId=none'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 200, 426]);
    for (const { headers } of replies) {
      expect(headers.get('x-helix-protocol')).toBe('1');
      expect(Date.parse(headers.get('date') ?? '')).not.toBeNaN();
    }
    expect(await replies[3]?.json()).toMatchObject({ code: 'PROTOCOL_UNSUPPORTED' });
  });

  it('INTR-03 stops the run it names and no other', async () => {
    const { transport } = await remote();
    const { runId } = await transport.start({ ...START, message: 'slow' });
    const late = transport.interrupt({ sessionId: 'r-1', runId: 'of-before' });
    expect(await late).toEqual({ status: 'too_late' });
    expect(await transport.interrupt({ sessionId: 'r-1', runId })).toMatchObject({
      status: 'requested',
    });
    expect(await statusOf(transport, 'r-1')).toMatchObject({ runStatus: 'interrupted' });
  });

  it('streams each chunk once, also where the connection broke in between', async () => {
    const { transport } = await remote({ sse: { heartbeatMs: 20 } });
    await transport.start({ ...START, message: 'words 40' });
    const events: RemoteEvent[] = [];
    let after = 0;
    while (events.at(-1)?.type !== 'end') {
      let got = 0;
      for await (const event of transport.stream('r-1', { after })) {
        events.push(event);
        if (event.type !== 'end') after = event.sequence;
        // Leaves, as a connection that breaks.
        if ((got += 1) === 7) break;
      }
    }
    const numbers = events.flatMap((event) => (event.type === 'end' ? [] : [event.sequence]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers).toHaveLength((await transport.status('r-1'))?.streamSequence ?? 0);
    expect(events.filter(({ type }) => type === 'omitted')).toEqual([]);
  });

  it('refuses who it does not know', async () => {
    const { url } = await remote();
    const nobody = new HttpRemoteAgentTransport({ url });
    await expect(nobody.status('r-1')).rejects.toThrow(RemoteRefusedError);
    await expect(nobody.status('r-1')).rejects.toMatchObject({ status: 401 });
  });
});
