// If this fails: two servers over one database answer differently, run a session twice, or lose an answer between them.
import type { SubmitToolResult } from '@helix-agents/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AgentClient, type FeedEvent } from '../src/client.ts';
import { settled } from './fixtures.ts';
import { startProcesses, type ServerProcess } from './server-process.ts';

interface Pair {
  readonly a: ServerProcess;
  readonly b: ServerProcess;
}

const count = <T>(values: readonly T[], wanted: T): number =>
  values.filter((value) => value === wanted).length;

/** Every promise that two servers over one database keep; `open` says where an empty one is. */
export function testTwoServers(
  name: string,
  open: () => Promise<{ readonly database: string; close(): Promise<void> }>,
): void {
  describe(`two servers over one ${name}`, () => {
    let database = '';
    let close: () => Promise<void>;
    beforeAll(async () => {
      const opened = await open();
      database = opened.database;
      close = () => opened.close();
    });
    afterAll(() => close());

    /** Two that a test may kill. */
    async function twoOfItsOwn(options?: { readonly leaseMs?: number }): Promise<Pair> {
      const own = await startProcesses(2, database, options);
      onTestFinished(own.stop);
      const [a, b] = own.processes;
      return { a: a!, b: b! };
    }

    let pair: Pair;
    let stop: () => Promise<void>;
    beforeAll(async () => {
      const started = await startProcesses(2, database);
      const [a, b] = started.processes;
      pair = { a: a!, b: b! };
      stop = started.stop;
    });
    afterAll(() => stop());

    it('SUB-01 take one of fifty answers, and the first one stands', async () => {
      const { a, b } = pair;
      const { sessionId } = await a.client.start({ agentType: 'painter', message: 'anything' });
      await settled(a.client, sessionId);
      const submit = (index: number): Promise<{ status: string }> => {
        const result = index < 50 ? 'same' : `other ${index}`;
        const submission: SubmitToolResult = {
          kind: 'client-tool-result',
          sessionId,
          toolCallId: 'any',
          result,
        };
        return (index % 2 ? a : b).client.submit(submission);
      };
      const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => submit(index)));
      const statuses = outcomes.map((outcome) => outcome.status);
      expect([count(statuses, 'accepted'), count(statuses, 'already_completed')]).toEqual([1, 59]);
      const winner = statuses.indexOf('accepted');
      await b.client.resume({ sessionId });
      expect(await settled(a.client, sessionId)).toBe('completed');
      const { messages } = await a.client.session(sessionId);
      const results = messages.messages.filter((message) => message.role === 'tool');
      expect(results.map((message) => message.content)).toEqual([
        winner < 50 ? 'same' : `other ${winner}`,
      ]);
      expect((await submit(0)).status).toBe('already_completed');
    });

    it('RES-02 resume a session one time, and the other hears so', async () => {
      const { a, b } = pair;
      const { sessionId } = await a.client.start({ agentType: 'painter', message: 'both' });
      await settled(a.client, sessionId);
      await a.client.submit({
        kind: 'client-tool-result',
        sessionId,
        toolCallId: 'color',
        result: { color: 'red' },
      });
      await b.client.submit({
        kind: 'approval-response',
        sessionId,
        toolCallId: 'pay',
        approved: true,
      });
      const resumed = await Promise.allSettled(
        [a, b, a, b].map(({ client }) => client.resume({ sessionId })),
      );
      expect(
        count(
          resumed.map((one) => one.status),
          'fulfilled',
        ),
      ).toBe(1);
      const conflicts = resumed.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      for (const conflict of conflicts) {
        expect(conflict).toMatchObject({ statusCode: 409 });
        expect(['run_already_running', 'ALREADY_COMPLETED']).toContain(conflict.code);
      }
      expect(await settled(b.client, sessionId)).toBe('completed');
      const { runs, messages } = await b.client.session(sessionId);
      expect(runs.map((run) => run.trigger)).toEqual(['execute', 'resume']);
      expect(messages.messages.filter((message) => message.role === 'tool')).toHaveLength(2);
    });

    it('APPR-05 take the first of two decisions', async () => {
      const { a, b } = pair;
      const { sessionId } = await a.client.start({ agentType: 'painter', message: 'pay' });
      await settled(a.client, sessionId);
      const decide = (client: AgentClient, approved: boolean): Promise<{ status: string }> =>
        client.submit({ kind: 'approval-response', sessionId, toolCallId: 'pay', approved });
      const outcomes = await Promise.all([decide(a.client, true), decide(b.client, false)]);
      expect(outcomes.map((one) => one.status).toSorted()).toEqual([
        'accepted',
        'already_completed',
      ]);
      await a.client.resume({ sessionId });
      expect(await settled(b.client, sessionId)).toBe('completed');
      const { output } = await b.client.status(sessionId);
      const wasApproved = outcomes[0]?.status === 'accepted';
      expect(output).toContain(wasApproved ? '"paid":40' : 'not approved');
    });

    it('TURN-01 start a session one time, however often it is asked for', async () => {
      const { a, b } = pair;
      const request = { sessionId: 'only', agentType: 'painter', message: 'color' };
      const started = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? a : b).client.start(request)),
      );
      expect(
        count(
          started.map((one) => one.created),
          true,
        ),
      ).toBe(1);
      expect(new Set(started.map((one) => one.runId)).size).toBe(1);
      await settled(a.client, 'only');
      expect(
        (await b.client.session('only')).messages.messages.filter(({ role }) => role === 'user'),
      ).toHaveLength(1);
    });

    it('INTR-01 INTR-07 stop through one server what the other runs, and go on from there', async () => {
      const { a, b } = pair;
      const { sessionId, runId } = await a.client.start({ agentType: 'painter', message: 'slow' });
      const reading: FeedEvent[] = [];
      const read = (async () => {
        for await (const event of b.client.stream(sessionId)) reading.push(event);
      })();
      expect(await b.client.interrupt({ sessionId, reason: 'enough' })).toEqual({
        status: 'requested',
        runId,
      });
      expect(await settled(b.client, sessionId)).toBe('interrupted');
      await read;
      expect(reading.at(-1)).toMatchObject({ type: 'end', data: { status: 'interrupted' } });
      const chunks = reading.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []));
      expect(chunks.at(-1)).toMatchObject({ type: 'run_interrupted', runId });
      // INTR-03: after it ended there is nothing left to stop, and the next turn is unharmed.
      expect(await a.client.interrupt({ sessionId })).toEqual({ status: 'too_late' });
      await b.client.resume({ sessionId, message: 'hello' });
      expect(await settled(a.client, sessionId)).toBe('completed');
    });

    it('INTR-05 abort through one server what the other runs', async () => {
      const { a, b } = pair;
      const { sessionId } = await a.client.start({ agentType: 'painter', message: 'slow' });
      expect(await b.client.abort({ sessionId, reason: 'stop' })).toEqual({ status: 'aborted' });
      expect(await a.client.status(sessionId)).toMatchObject({
        status: 'failed',
        error: { code: 'run_aborted', message: 'stop' },
      });
      // A message right after it is kept.
      await a.client.resume({ sessionId, message: 'hello' });
      expect(await settled(b.client, sessionId)).toBe('completed');
    });

    it('SUB-10 RES-11 take an answer in that came while the other was running, and never wait for nothing', async () => {
      const { a, b } = pair;
      const { sessionId } = await a.client.start({ agentType: 'painter', message: 'color' });
      // As soon as the question is heard of, by whichever server.
      for await (const event of b.client.stream(sessionId)) {
        if (event.type === 'chunk' && event.chunk.type === 'tool_start') break;
      }
      const submission: SubmitToolResult = {
        kind: 'client-tool-result',
        sessionId,
        toolCallId: 'color',
        result: { color: 'blue' },
      };
      expect(await b.client.submit(submission)).toEqual({ status: 'accepted' });
      await b.client.resume({ sessionId }).catch((error: { code: string }) => {
        // The run that was about to suspend takes it in: nothing left to do.
        expect(error.code).toMatch(/run_already_running|ALREADY_COMPLETED/);
      });
      expect(await settled(a.client, sessionId)).toBe('completed');
      expect(await b.client.status(sessionId)).toMatchObject({ output: '{"color":"blue"}' });
    });

    it('RES-03 go on with what a killed server left, and readers follow', async () => {
      const { a, b } = await twoOfItsOwn({ leaseMs: 400 });
      const { sessionId } = await a.client.start({ agentType: 'painter', message: 'slow' });
      for await (const event of b.client.stream(sessionId)) {
        if (event.type === 'chunk' && event.chunk.type === 'text_delta') break;
      }
      a.child.kill('SIGKILL');
      await a.ended;
      const taken = async (): Promise<string> => {
        for (;;) {
          try {
            return (await b.client.resume({ sessionId })).runId;
          } catch (error) {
            expect(error).toMatchObject({ code: 'run_already_running' });
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }
      };
      const { runId } = await b.client.status(sessionId);
      expect(await taken()).toBe(runId);
      await b.client.interrupt({ sessionId });
      expect(await settled(b.client, sessionId)).toBe('interrupted');
      await b.client.resume({ sessionId, message: 'hello' });
      const events: FeedEvent[] = [];
      for await (const event of b.client.stream(sessionId)) events.push(event);
      expect(events.at(-1)).toMatchObject({ type: 'end', data: { status: 'completed' } });
      const numbers = events.flatMap((event) => (event.type === 'chunk' ? [event.sequence] : []));
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    });

    it('RECV-09 give back what they run when they are told to stop; tokens are good on both', async () => {
      const { a, b } = await twoOfItsOwn();
      const anonymous = new AgentClient({ baseUrl: a.url });
      const { sessionId, token } = await anonymous.start({ agentType: 'painter', message: 'slow' });
      const holder = new AgentClient({ baseUrl: b.url, token: token! });
      expect(await holder.status(sessionId)).toMatchObject({ runStatus: 'running' });
      await expect(new AgentClient({ baseUrl: b.url }).status(sessionId)).rejects.toMatchObject({
        statusCode: 401,
      });
      await expect(holder.status('other')).rejects.toMatchObject({ statusCode: 403 });
      a.child.kill('SIGTERM');
      expect(await a.ended).toContain('closed');
      await holder.resume({ sessionId });
      expect(await holder.interrupt({ sessionId })).toMatchObject({ status: 'requested' });
      expect(await settled(holder, sessionId)).toBe('interrupted');
    });
  });
}
