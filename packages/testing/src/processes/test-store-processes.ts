// If this fails: what holds for two connections of one process does not hold between processes.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findStatusLogFault } from '../state-store/status-log.ts';
import { seed } from '../store/plans.ts';
import { callRow, sessionRow } from '../store/rows.ts';
import { HANGS_AFTER_MS, WHOLE } from '../world/whole.ts';
import type { ProcessStores, StoreCommands } from './store-process.ts';

/** An empty store that several processes can open. */
export interface SharedStoreUnderTest extends ProcessStores {
  /** What the program needs to open the same store. */
  readonly args: readonly string[];
  close(): Promise<void>;
}

export interface TestStoreProcessesOptions {
  readonly name: string;
  /** A program that opens the store its further arguments name and ends with `obeyStoreCommand` of its first one. */
  readonly program: URL;
  /** Options of node for the program. */
  readonly nodeArgs?: readonly string[];
  create(): Promise<SharedStoreUnderTest>;
}

const timeout = HANGS_AFTER_MS;
/** Moves of a status by each of four processes. */
const MOVES = WHOLE ? 2_000 : 500;
const two = [0, 1];

/** What a store must hold to that several processes share. Registers vitest tests; each opens its own, empty one. */
export function testStoreProcesses(options: TestStoreProcessesOptions): void {
  const open = async (): Promise<SharedStoreUnderTest & { run: Run }> => {
    const store = await options.create();
    onTestFinished(() => store.close());
    const command = [...(options.nodeArgs ?? []), fileURLToPath(options.program)];
    const run: Run = (name, given) =>
      runProgram([...command, JSON.stringify({ name, given }), ...store.args]);
    return { ...store, run };
  };

  describe(`several processes on ${options.name}`, () => {
    it('write each version once, two at a time', { timeout }, async () => {
      const { stateStore, run } = await open();
      await seed(stateStore.sessions, { sessions: [sessionRow()] });
      const wins = await Promise.all(two.map(() => run('commit', { tries: 500 })));
      expect(Math.min(...wins.map((won) => won.length))).toBeGreaterThan(0);
      const all = wins.flat().toSorted((a, b) => a - b);
      expect(all).toEqual(all.map((_, index) => index + 1));
      const after = await stateStore.sessions.readSession(sessionRow());
      expect(after?.version).toBe(all.length + 1);
      expect(await stateStore.sessions.readMessages(sessionRow())).toHaveLength(all.length);
    });

    it('LOCK-05 move a status linearizably, four at once', { timeout }, async () => {
      const { stateStore, run } = await open();
      await stateStore.createSession('s1');
      const logs = await Promise.all(
        [...two, ...two].map(() => run('moveStatus', { times: MOVES })),
      );
      const log = logs.flat();
      expect(log).toHaveLength(4 * MOVES);
      expect(findStatusLogFault(log, { version: 1, status: 'active' })).toBeNull();
      const won = log.filter(({ result }) => result.ok).length;
      expect(won).toBeGreaterThan(MOVES / 2);
      expect(await stateStore.loadState('s1')).toMatchObject({ version: won + 1 });
    });

    it('IDEM-04 create each session once', { timeout }, async () => {
      const { run } = await open();
      const ids = Array.from({ length: 100 }, (_, index) => `new-${index}`);
      const created = await Promise.all(two.map(() => run('create', { ids })));
      expect(created.flat().toSorted()).toEqual(ids.toSorted());
    });

    it('SUB-01 take each answer once, and that one stands', { timeout }, async () => {
      const { stateStore, run } = await open();
      const toolCallIds = Array.from({ length: 200 }, (_, index) => `call-${index}`);
      const calls = toolCallIds.map((id) => callRow(id));
      const session = sessionRow({ status: 'suspended_client_tool' });
      await seed(stateStore.sessions, { sessions: [session], calls });
      const taken = await Promise.all(
        two.map((side) => run('answer', { toolCallIds, value: `from ${side}` })),
      );
      expect(taken.flat().toSorted()).toEqual(toolCallIds.toSorted());
      const rows = await stateStore.sessions.readCalls('s1');
      const winner = new Map(taken.flatMap((ids, side) => ids.map((id) => [id, side])));
      for (const row of rows) {
        const value = `from ${winner.get(row.toolCallId)}`;
        expect(row.answer).toEqual({ kind: 'result', value });
      }
    });

    it('show a live reader what they append, each number once', { timeout }, async () => {
      const { streamManager, run } = await open();
      await streamManager.createWriter('s1', 's1', 'a');
      const reader = await streamManager.createResumableReader('s1');
      const seen: number[] = [];
      const said: Record<string, string[]> = { one: [], two: [] };
      const read = async (): Promise<void> => {
        for await (const { sequence, chunk } of reader ?? []) {
          seen.push(sequence);
          if (chunk.type === 'text_delta') said[chunk.agentId]?.push(chunk.delta);
          if (seen.length === 200) await streamManager.endStream('s1');
        }
      };
      const writers = ['one', 'two'].map((name) => run('append', { name, count: 100 }));
      await Promise.all([...writers, read()]);
      expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
      const inOrder = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
      expect(said).toEqual({ one: inOrder, two: inOrder });
    });
  });
}

type Run = <Name extends keyof StoreCommands>(
  name: Name,
  given: StoreCommands[Name]['given'],
) => Promise<StoreCommands[Name]['result']>;

async function runProgram<Result>(args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, args);
  onTestFinished(() => void child.kill('SIGKILL'));
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (errors += String(data)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`the program ended with ${String(code)}: ${errors}`);
  return JSON.parse(output) as Result;
}
