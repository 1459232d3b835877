// If this fails: a process that is stopped while it recovers sessions leaves the next one to do again what was done, or
// sessions that nobody takes up.
import type { CommitPlan } from '@helix-agents/core/store';
import { expect } from 'vitest';
import { agent, serverTool } from './definitions.ts';
import { LEASE_MS, type Process, type ProcessOptions } from './process.ts';
import { call, say, script } from './script.ts';
import { barrier, until } from './waiting.ts';
import type { Scenario, World } from './world.ts';

const DEAD = Array.from({ length: 10 }, (_, n) => `s${n}`);
/** Three that it gets, and as many as a recovery takes up at once. */
const FOUND = 3 + 4;

type End = (process: Process, world: World) => Promise<void>;

/** How a recovery is cancelled, and how many deaths the session counts that was in the middle of its work. */
const ENDS: readonly { readonly how: string; readonly end: End; readonly deaths: number }[] = [
  { how: 'is shut down', end: shutDown, deaths: 1 },
  { how: 'dies', end: die, deaths: 2 },
];

export function cancelledRecovery(it: Scenario): void {
  for (const { how, end, deaths } of ENDS) {
    it.leased(
      `RECV-02 repeats nothing that was done when the one who recovers ${how} midway`,
      async (world) => {
        const atWork = workplace();
        const root = agent('root', [
          serverTool('work', (_, { sessionId }) => atWork.enter(sessionId)),
        ]);
        const model = script({ root: [call('work'), say('done')] });
        const running: ProcessOptions = { model, agents: [root] };
        await leaveDead(world, running, atWork);

        const claims = barrier();
        const found = new Set<string>();
        const recovering = world.process({
          ...running,
          before: async (_, plan) => {
            const id = takenOver(plan);
            if (id !== undefined) found.add(id);
            const [, , third] = found;
            atWork.hold = third ? [third] : [];
            // Two runs finish and one gets to the middle of its work; no other is started.
            if (id !== undefined && [...found].indexOf(id) > 2) await claims.pass();
            return 'pass' as const;
          },
        });
        const pass = recovering.executor.recover();
        await claims.reached;
        const [first, second, third] = found;
        const done = [first, second] as string[];
        await until('two are done, one works, the next ones are claimed', async () => {
          const isAtIt = atWork.timesEntered(third as string) === 2 && found.size === FOUND;
          return isAtIt && (await areCompleted(world, done));
        });
        const notFound = DEAD.filter((id) => !found.has(id));
        const left = await rowsOf(world, [...done, ...notFound]);
        const cancelled = end(recovering, world);
        claims.open();
        await cancelled;
        if (deaths === 1) {
          await pass;
          const takenUp = [...found].filter((id) => !done.includes(id));
          await until('it has given back what it took up', () => areFree(world, takenUp));
        }
        expect(await rowsOf(world, [...done, ...notFound]), 'nothing more is taken up').toEqual(
          left,
        );
        atWork.open();

        const awake = world.process(running);
        await awake.executor.recover();
        await until('all are done', () => areCompleted(world, DEAD));
        await awake.executor.recover();
        expect(await rowsOf(world, done), 'not touched again').toEqual(left.slice(0, 2));
        for (const id of DEAD) {
          const isThird = id === third;
          expect(atWork.timesEntered(id), id).toBe(isThird ? 3 : 2);
          expect(
            model.calls.filter((one) => one.agentId === id),
            id,
          ).toHaveLength(2);
          expect(await world.session(id)).toMatchObject({ recoveries: isThird ? deaths : 1 });
          expect(await world.runs(id), id).toHaveLength(1);
          expect(await world.results(id), id).toEqual(['worked']);
        }
      },
    );
  }
}

interface Workplace {
  /** Who does not get out until it is opened. */
  hold: readonly string[];
  enter(sessionId: string): Promise<string>;
  timesEntered(sessionId: string): number;
  open(): void;
}

function workplace(): Workplace {
  const entered: string[] = [];
  const door = barrier();
  return {
    hold: DEAD,
    async enter(sessionId) {
      entered.push(sessionId);
      if (this.hold.includes(sessionId)) await door.pass();
      return 'worked';
    },
    timesEntered: (sessionId) => entered.filter((id) => id === sessionId).length,
    open: () => door.open(),
  };
}

/** Sessions whose process died while each was at its work. */
async function leaveDead(world: World, running: ProcessOptions, atWork: Workplace): Promise<void> {
  const dead = world.process(running);
  for (const sessionId of DEAD)
    await dead.executor.execute(running.agents[0] as never, 'go', { sessionId });
  await until('all work', () => DEAD.every((id) => atWork.timesEntered(id) === 1));
  dead.kill();
  await world.clock.skip(LEASE_MS + 1);
}

function takenOver(plan: CommitPlan | undefined): string | undefined {
  return plan?.guard.sessions?.find((guard) => 'leaseExpired' in guard)?.sessionId;
}

async function shutDown(process: Process, world: World): Promise<void> {
  const ended = process.executor.shutdown({ graceMs: 1_000 });
  await world.clock.skip(1_001);
  await ended;
}

async function die(process: Process, world: World): Promise<void> {
  process.kill();
  await world.clock.skip(LEASE_MS + 120_000);
}

async function rowsOf(world: World, ids: readonly string[]): Promise<unknown[]> {
  return Promise.all(ids.map((id) => world.session(id)));
}

/** Without an owner: the next recovery may take them over at once. */
async function areFree(world: World, ids: readonly string[]): Promise<boolean> {
  const sessions = await Promise.all(ids.map((id) => world.session(id)));
  return sessions.every(({ leaseUntil }) => leaseUntil === null);
}

async function areCompleted(world: World, ids: readonly string[]): Promise<boolean> {
  const sessions = await Promise.all(ids.map((id) => world.session(id)));
  return sessions.every(({ status }) => status === 'completed');
}
