import type { SessionRef, SessionStore } from '@helix-agents/core/store';

/** A copy of all that can be read of these sessions, in a comparable order. */
export async function readEverything(
  store: SessionStore,
  refs: readonly SessionRef[],
): Promise<unknown> {
  const everything = await Promise.all(
    refs.map(async (ref) => {
      const step = await store.readStep(ref);
      return {
        session: await store.readSession(ref),
        step: step && {
          ...step,
          journal: sorted(step.journal),
          calls: sorted(step.calls),
          references: sorted(step.references),
          children: sorted(step.children),
        },
        messages: await store.readMessages(ref),
        calls: sorted(await store.readCalls(ref.rootId)),
        references: sorted(await store.readReferences(ref)),
        runs: await store.readRuns(ref),
        checkpoints: await store.readCheckpoints(ref),
      };
    }),
  );
  return structuredClone(everything);
}

const keyFields = ['sessionId', 'subSessionId', 'stepId', 'index', 'kind', 'toolCallId', 'part'];

/** By key, for rows the contract leaves in any order. */
export function sorted<T extends object>(rows: readonly T[]): T[] {
  const key = (row: T): string =>
    JSON.stringify(keyFields.map((field) => Reflect.get(row, field) as unknown));
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

export async function inParallel<T>(
  times: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)));
}
