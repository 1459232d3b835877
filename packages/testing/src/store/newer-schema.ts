// If this fails: code of an earlier release goes on writing into a database that a later one has migrated.
import type { FullStreamManager } from '@helix-agents/core/store';
import { expect } from 'vitest';
import type { Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { callRow, sessionRow, T0 } from './rows.ts';
import { messageTo, noticeTo } from './units.ts';

/** What a process has open, and how a later release raises what is stored under it. */
export interface MigratedStore {
  readonly store: Store;
  readonly streams: FullStreamManager;
  /** As a later release does, in another process. */
  readonly raise: () => Promise<unknown>;
}

/** No write of a process that was running when the schema was raised is applied; each is refused with a typed error. */
export async function expectNoMoreWrites({ store, streams, raise }: MigratedStore): Promise<void> {
  const row = sessionRow({ leaseOwner: 'me', leaseUntil: T0 + 1 });
  const call = callRow('ask');
  await seed(store, { sessions: [row], calls: [call] });
  const chunk = {
    type: 'output',
    output: 1,
    agentId: 's1',
    agentType: 'a',
    timestamp: T0,
    step: 1,
  } as const;
  await streams.append('s1', [{ chunk }]);
  await raise();
  const answer = { kind: 'result', value: 1 } as const;
  const key = { rootId: 's1', toolCallId: 'ask', part: '' };
  const writes: Record<string, () => Promise<unknown>> = {
    commit: () => store.commit(planFor(row, { sessions: [{ sessionId: 's1', set: { turn: 9 } }] })),
    create: () => seed(store, { sessions: [sessionRow({ sessionId: 's2' })] }),
    renewLease: () => store.renewLease({ ...row, owner: 'me', extendMs: 5, now: T0 }),
    answerCall: () =>
      store.answerCall({ key, outcome: 'answered', answer, answeredBy: null, now: T0 }),
    putInput: () => store.putInput(messageTo(row)),
    putNotice: () => store.putNotice(noticeTo(row)),
    report: () => store.report(row, 1),
    purgeInputs: () => store.purgeInputs(row, T0),
    requestInterrupt: () => store.requestInterrupt(row, null, T0),
    deleteSession: () => store.deleteSession(row),
    append: () => streams.append('s1', [{ chunk }]),
  };
  for (const [name, write] of Object.entries(writes))
    await expect(write(), name).rejects.toMatchObject({
      code: 'store_schema_mismatch',
      message: expect.stringContaining('update the code'),
    });
}
