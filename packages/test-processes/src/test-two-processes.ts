// Several live processes on one store. If one of these fails, two servers behind one load balancer run a tool twice,
// take two answers for one question, or steal each other's work.
import { setTimeout as wait } from 'node:timers/promises';
import type { SubmitToolResult } from '@helix-agents/core';
import { dumpTree } from '@helix-agents/testing/tree';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkSession } from './check-session.ts';
import { startChild, type Child } from './child.ts';
import type { Command } from './command.ts';
import { readExecutions } from './ledger.ts';
import { LEASE_MS, LONG_LEASE_MS, live, openStage, unlessMoved, type Stage } from './stage.ts';
import { newStore, type SharedStoreOptions } from './shared-store.ts';
import { writeAddress, type StoreAddress } from './store-address.ts';

const worker = new URL('./worker.ts', import.meta.url);
const commandProgram = new URL('./command.ts', import.meta.url);

/** Registers tests: several live processes work on the same sessions. */
export function testTwoProcesses(options: SharedStoreOptions): void {
  describe(`two processes on one store: ${options.name}`, () => {
    it('RES-02 two resumes at once: one claims, the other gets an error, everything happens once', async () => {
      const { address, ledger } = await newStore(options);
      const stage = await open(address, ledger);
      await suspend(stage, 's1');
      for (const submission of await answersTo(stage, 's1')) {
        await stage.executor.submitToolResult(submission);
      }
      const replies = await obeyTogether(address, ledger, { do: 'resume', sessionId: 's1' });
      expect(replies.filter((reply) => reply === 'completed')).toHaveLength(1);
      const loser = replies.find((reply) => reply !== 'completed');
      expect(['run_already_running', 'session_not_resumable']).toContain(loser);
      const { dump, faults } = await checkSession(stage.stores, ledger, 's1', 0);
      expect(faults).toEqual([]);
      expect(dump.sessions[0]?.runs).toHaveLength(2);
    });

    it('SUB-01 fifty submits of one answer and ten of others: one is accepted and stands', async () => {
      const { address, ledger } = await newStore(options);
      const stage = await open(address, ledger);
      await suspend(stage, 's1');
      const answers = await answersTo(stage, 's1');
      const [pick] = answers.filter((one) => one.kind === 'client-tool-result');
      const other = { ...pick!, result: 'blue' } as SubmitToolResult;
      const submissions = [
        ...Array.from({ length: 25 }, () => pick!),
        ...Array.from({ length: 5 }, () => other),
      ];
      const replies = await obeyTogether(address, ledger, { do: 'submit', submissions });
      const told = replies.flat();
      expect(told.filter((status) => status === 'accepted')).toHaveLength(1);
      expect(told.filter((status) => status === 'already_completed')).toHaveLength(59);
      await live(stage, { sessionId: 's1', agent: stage.agents.mixed });
      const { dump, faults, results } = await checkSession(stage.stores, ledger, 's1', 0);
      expect(faults).toEqual([]);
      expect(results).toEqual(['look ok', 'pick ok', 'send ok', 'subagent__worker ok']);
      const first = (replies as string[][]).map((list) => list.indexOf('accepted'));
      const accepted = submissions[Math.max(...first)] as { result?: unknown };
      const message = dump.sessions[0]?.messages.find(
        (row) => row.role === 'tool' && row.toolName === 'pick',
      );
      expect(message?.content).toBe(accepted.result);
    });

    it('RES-11 an answer from another process, while the run works or as it suspends, is not missed', async () => {
      const { address, ledger } = await newStore(options);
      const stage = await open(address, ledger);
      const sessionIds = Array.from({ length: 8 }, (_, index) => `s${index}`);
      const runner = start(commandProgram, [writeAddress(address), ledger]);
      await runner.line('ready');
      runner.say(JSON.stringify({ do: 'execute', sessionIds } satisfies Command));
      await Promise.all(
        sessionIds.map(async (sessionId, index) => {
          const answers = await untilAsked(stage, sessionId);
          await wait(index * 5);
          for (const answer of answers) await stage.executor.submitToolResult(answer);
          await unlessMoved(async () => (await stage.executor.resume({ sessionId })).result());
        }),
      );
      expect(await runner.ended).toBe(0);
      for (const sessionId of sessionIds) {
        const { dump, faults } = await checkSession(stage.stores, ledger, sessionId, 0);
        expect(faults).toEqual([]);
        expect(dump.sessions[0]?.session.status, sessionId).toBe('completed');
      }
    });

    it('LOCK-01 K24 an owner stopped for twice its lease comes back too late and changes nothing', async () => {
      const { address, ledger } = await newStore(options);
      const stage = await open(address, ledger);
      const owner = start(worker, [writeAddress(address), ledger, 's1', 'slow']);
      await owner.line('working');
      owner.signal('SIGSTOP');
      await wait(2 * LEASE_MS);
      await live(stage, { sessionId: 's1', agent: stage.agents.slow });
      const { faults, dump } = await checkSession(stage.stores, ledger, 's1', 1);
      expect(faults).toEqual([]);
      owner.signal('SIGCONT');
      await owner.line('done');
      expect(await owner.ended).toBe(0);
      expect(await treeOf(stage, 's1')).toEqual(dump);
      const slow = readExecutions(ledger).filter(({ tool }) => tool === 'slow');
      expect(slow.map(({ pid }) => pid)).toEqual([owner.pid, process.pid]);
    });

    it('RECV-07 two processes recover dead runs while a third is alive: its run is not taken over, each dead one goes on once', async () => {
      const { address, ledger } = await newStore(options);
      const stage = await open(address, ledger);
      const dead = ['d1', 'd2', 'd3'];
      const victims = dead.map((id) =>
        start(worker, [writeAddress(address), ledger, id, 'slow', 'slow executing']),
      );
      await Promise.all(victims.map((victim) => victim.line('reached slow executing')));
      for (const victim of victims) victim.signal('SIGKILL');
      const alive = start(worker, [writeAddress(address), ledger, 'alive', 'slow'], {
        UNTIL_TOLD: '1',
        LEASE_MS: String(LONG_LEASE_MS),
      });
      await alive.line('working');
      const ref = { rootId: 'alive', sessionId: 'alive' };
      const leaseUntil = (await stage.stores.stateStore.sessions.readSession(ref))!.leaseUntil!;
      const command: Command = { do: 'recover', sessionIds: dead };
      const replies = await obeyTogether(address, ledger, command);
      expect(replies).toEqual([Array(3).fill('completed'), Array(3).fill('completed')]);
      for (const id of dead) {
        expect((await checkSession(stage.stores, ledger, id, 1)).faults).toEqual([]);
      }
      await wait(Math.max(0, leaseUntil - Date.now()));
      await stage.executor.recover();
      alive.say('go on');
      await alive.line('done');
      const { dump, faults } = await checkSession(stage.stores, ledger, 'alive', 0);
      expect(faults).toEqual([]);
      expect(dump.sessions[0]?.session).toMatchObject({ epoch: 1, recoveries: 0 });
    });
  });
}

async function open(address: StoreAddress, ledger: string): Promise<Stage> {
  const stage = await openStage({ address, ledger });
  onTestFinished(() => stage.stores.close());
  return stage;
}

function start(...args: Parameters<typeof startChild>): Child {
  const child = startChild(...args);
  onTestFinished(() => child.signal('SIGKILL'));
  return child;
}

/** Runs a session up to where it waits for people. */
async function suspend({ executor, agents }: Stage, sessionId: string): Promise<void> {
  const handle = await executor.execute(agents.mixed, 'message 1', { sessionId });
  expect((await handle.result()).status).toBe('suspended_client_tool');
}

async function answersTo({ stores }: Stage, sessionId: string): Promise<SubmitToolResult[]> {
  const rows = await stores.stateStore.sessions.readCalls(sessionId);
  return rows.map(({ kind, toolCallId }) =>
    kind === 'approval'
      ? { kind: 'approval-response', sessionId, toolCallId, approved: true }
      : { kind: 'client-tool-result', sessionId, toolCallId, result: 'red' },
  );
}

/** The answers to both questions of a session, as soon as they are asked. */
async function untilAsked(stage: Stage, sessionId: string): Promise<SubmitToolResult[]> {
  for (;;) {
    const answers = await answersTo(stage, sessionId);
    if (answers.length === 2) return answers;
    await wait(2);
  }
}

/** The same command in two new processes, at the same moment. */
async function obeyTogether(
  address: StoreAddress,
  ledger: string,
  command: Command,
): Promise<unknown[]> {
  const children = [0, 1].map(() => start(commandProgram, [writeAddress(address), ledger]));
  await Promise.all(children.map((child) => child.line('ready')));
  for (const child of children) child.say(JSON.stringify(command));
  expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0]);
  return children.map((child) => JSON.parse(child.lines.at(-1)!) as unknown);
}

async function treeOf({ stores }: Stage, sessionId: string): ReturnType<typeof dumpTree> {
  const { stateStore, streamManager } = stores;
  const databases = { of: () => stateStore.sessions };
  return dumpTree({ databases, streamManager }, sessionId);
}
