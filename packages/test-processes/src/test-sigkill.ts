// A process that is killed for good leaves nothing behind but the store. If one of these fails, a power cut or an
// out-of-memory kill loses an answer, repeats a payment or strands a session.
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkSession } from './check-session.ts';
import { startChild } from './child.ts';
import { live, openStage } from './stage.ts';
import { newStore, type SharedStoreOptions } from './shared-store.ts';
import { writeAddress, type StoreAddress } from './store-address.ts';

const worker = new URL('./worker.ts', import.meta.url);
const UNKNOWN = ['look ok', 'pick ok', 'send tool_outcome_unknown', 'subagent__worker ok'];
const ALL_OK = ['look ok', 'pick ok', 'send ok', 'subagent__worker ok'];

interface Point {
  readonly point: string;
  readonly title: string;
  readonly place: string;
  readonly results?: readonly string[];
}

const POINTS: readonly Point[] = [
  { point: 'K03', title: 'in the model stream, partial text out', place: 'text streamed' },
  { point: 'K05', title: 'inside execute()', place: 'look executing' },
  { point: 'K07', title: 'all tools done, before the commit is sent', place: 'before close' },
  { point: 'K08', title: 'result applied, before its reply', place: 'after result 0' },
  { point: 'K09', title: 'calls opened, before they are announced', place: 'after plan' },
  { point: 'K09', title: 'suspension committed, not announced', place: 'after suspend' },
  { point: 'K11', title: 'before the write that says suspended', place: 'before suspend' },
  { point: 'K12', title: 'submit stored, reply lost', place: 'after answerCall' },
  { point: 'K13', title: 'a writer dies before its answer is sent', place: 'before answerCall' },
  { point: 'K14', title: 'resume claimed, before answers are taken in', place: 'after claim' },
  { point: 'K15', title: 'answers committed, before the model', place: 'after close' },
  {
    point: 'K16',
    title: 'approved execute() ran, before its result is recorded',
    place: 'before result 2',
    results: UNKNOWN,
  },
  { point: 'K17', title: 'child created, before the parent hears', place: 'after child-create' },
  { point: 'K18', title: 'child finished, before the parent records', place: 'before collect' },
  { point: 'K22', title: 'final status committed, before the stream ends', place: 'after end' },
];

/** Registers tests: a process is killed at each crash point and another one goes on. */
export function testSigkill(options: SharedStoreOptions): void {
  describe(`after SIGKILL another process goes on: ${options.name}`, () => {
    it.each(POINTS)('$point $title', async ({ place, results = ALL_OK }) => {
      const { address, ledger } = await newStore(options);
      await killAt(address, ledger, 'mixed', place);
      const stage = await openStage({ address, ledger });
      const root = await live(stage, { sessionId: 's1', agent: stage.agents.mixed });
      const checked = await checkSession(stage.stores, ledger, 's1', 1);
      stage.stores.close();
      expect(checked.faults).toEqual([]);
      expect(checked.results).toEqual(results);
      expect(root).toMatchObject({ status: 'completed', output: 'turn 1 done' });
      const notes = results === ALL_OK ? ['look', 'send'] : ['look'];
      expect(root.customState).toEqual({ notes });
    });

    it.each([
      { place: 'after suspend below', title: 'child suspended, before the parent is' },
      {
        place: 'after child-claim below',
        title: 'the answer taken down, before the child goes on',
      },
      { place: 'before collect', title: 'child finished, before the parent records it' },
    ])('K19 $title: the same child goes on', async ({ place }) => {
      const { address, ledger } = await newStore(options);
      await killAt(address, ledger, 'nested', place);
      const stage = await openStage({ address, ledger });
      const root = await live(stage, { sessionId: 's1', agent: stage.agents.nested });
      const { dump, faults, results } = await checkSession(stage.stores, ledger, 's1', 1);
      stage.stores.close();
      expect(faults).toEqual([]);
      expect(results).toEqual(['subagent__asker ok']);
      expect(root).toMatchObject({ status: 'completed', output: 'turn 1 done' });
      expect(dump.sessions).toHaveLength(2);
      expect(dump.calls.map(({ state, outcome }) => `${state} ${outcome}`)).toEqual([
        'settled answered',
        'settled answered',
      ]);
    });

    it('K12 a submission that is sent again gets already_completed', async () => {
      const { address, ledger } = await newStore(options);
      await killAt(address, ledger, 'mixed', 'after answerCall');
      const { executor, stores } = await openStage({ address, ledger });
      const calls = await stores.stateStore.sessions.readCalls('s1');
      const [stored] = calls.filter((row) => row.state === 'answered');
      const again = { sessionId: 's1', toolCallId: stored!.toolCallId };
      const told = await executor.submitToolResult(
        stored!.kind === 'approval'
          ? { ...again, kind: 'approval-response', approved: false }
          : { ...again, kind: 'client-tool-result', result: 'blue' },
      );
      stores.close();
      expect(told).toEqual({ status: 'already_completed' });
    });

    it('K20 an interrupt that was seen, and not committed, still takes effect', async () => {
      const { address, ledger } = await newStore(options);
      await killAt(address, ledger, 'slow', 'before interrupt');
      const stage = await openStage({ address, ledger });
      const root = await live(stage, { sessionId: 's1', agent: stage.agents.slow });
      const { dump, faults } = await checkSession(stage.stores, ledger, 's1', 2);
      stage.stores.close();
      expect(faults).toEqual([]);
      expect(root.customState).toEqual({ notes: ['slow', 'quick'] });
      const statuses = dump.sessions[0]?.runs.map((run) => run.status);
      expect(statuses).toEqual(['interrupted', 'completed']);
    });
  });
}

async function killAt(
  address: StoreAddress,
  ledger: string,
  agent: string,
  place: string,
): Promise<void> {
  const child = startChild(worker, [writeAddress(address), ledger, 's1', agent, place]);
  onTestFinished(() => child.signal('SIGKILL'));
  await child.line(`reached ${place}`);
  child.signal('SIGKILL');
  expect(await child.ended).toBe('SIGKILL');
}
