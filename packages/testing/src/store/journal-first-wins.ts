// If this fails: after a crash a tool that has already run is run again, or a result of an old step
// is taken for the answer to a new call (ATOM-04).
import { describe, expect, it } from 'vitest';
import { inParallel, sorted } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { planFor, recordFor, seed } from './plans.ts';
import { pinRow, planRow, resultRow, sessionRow, startRow } from './rows.ts';

const row = sessionRow();

export function journalFirstWins(open: OpenStore): void {
  describe('the journal', () => {
    it('keeps the first of 20 concurrent starts', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const won = await inParallel(20, (racer) =>
        store.commit(recordFor(row, { journal: [startRow(`attempt-${racer}`)] })),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const step = await store.readStep(row);
      expect(step?.journal).toEqual([startRow(`attempt-${won.indexOf(true)}`)]);
      expect(step?.session.records, 'a refused record raises nothing').toBe(1);
      expect(step?.session.version).toBe(row.version);
    });

    it('counts every record of concurrent writers', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const won = await inParallel(20, (index) =>
        store.commit(recordFor(row, { journal: [resultRow(index, { index })] })),
      );
      expect(won.every(Boolean)).toBe(true);
      const step = await store.readStep(row);
      expect(step?.session.records).toBe(20);
      expect(step?.journal).toHaveLength(20);
    });

    it('keeps plan, start and result of one index side by side', async () => {
      const { store } = await open();
      const journal = [planRow({ index: 0 }), startRow('a'), resultRow('done')];
      await seed(store, { sessions: [row], journal });
      expect(sorted((await store.readStep(row))?.journal ?? [])).toEqual(sorted(journal));
    });

    it('misses when a row that must be absent is there', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], journal: [startRow('a')] });
      const absent = (index: number, kind: 'start' | 'result'): Promise<boolean> => {
        const journalAbsent = [{ sessionId: 's1', stepId: 1, index, kind }];
        return store.commit(planFor(row, { guard: { journalAbsent } }));
      };
      expect(await absent(0, 'start')).toBe(false);
      expect(await absent(0, 'result')).toBe(true);
      expect(await absent(1, 'start')).toBe(true);
    });

    it('keeps pins of the session, which no step has and no step deletes', async () => {
      const { store } = await open();
      const pins = [2, 10, 0].map((index) => pinRow(index));
      await seed(store, { sessions: [row], journal: [planRow(), ...pins] });
      expect(await store.commit(recordFor(row, { journal: [pinRow(0)] })), 'first wins').toBe(
        false,
      );
      const step = await store.readStep(row);
      expect(step?.journal).toEqual([planRow()]);
      expect(await store.readJournal(row, 0)).toEqual([pinRow(0), pinRow(2), pinRow(10)]);
      expect(await store.readJournal(row, 1)).toEqual([planRow()]);
      const gone = { journal: [{ sessionId: row.sessionId, stepId: 1 }] };
      expect(await store.commit(planFor(row, { remove: gone }))).toBe(true);
      expect(await store.readJournal(row, 1)).toEqual([]);
      expect(await store.readJournal(row, 0)).toHaveLength(3);
      await store.deleteSession(row);
      expect(await store.readJournal(row, 0)).toEqual([]);
    });

    it('never reads rows of another step as rows of this one', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], journal: [planRow(), resultRow('old')] });
      const next = { ...row, stepId: 2, version: 2 };
      const sessions = [{ sessionId: 's1', set: { stepId: 2 }, raise: { version: true } }] as const;
      expect(await store.commit(planFor(row, { sessions }))).toBe(true);
      expect((await store.readStep(row))?.journal, 'left behind, not taken over').toEqual([]);

      const fresh = resultRow('new', { stepId: 2 });
      expect(await store.commit(recordFor(next, { journal: [fresh] }))).toBe(true);
      expect((await store.readStep(row))?.journal).toEqual([fresh]);

      const remove = { journal: [{ sessionId: 's1', stepId: 1 }] };
      expect(await store.commit(planFor(next, { remove }))).toBe(true);
      expect((await store.readStep(row))?.journal).toEqual([fresh]);
    });

    it('removes all rows of the steps it is told to, of that session alone', async () => {
      const { store } = await open();
      const child = sessionRow({ sessionId: 'c', rootId: 's1' });
      const ofChild = resultRow('kept', { sessionId: 'c' });
      const journal = [planRow(), startRow('a'), resultRow('x'), ofChild];
      await seed(store, { sessions: [row, child], journal });
      const remove = { journal: [{ sessionId: 's1', stepId: 1 }] };
      expect(await store.commit(planFor(row, { remove }))).toBe(true);
      expect((await store.readStep(row))?.journal).toEqual([]);
      expect((await store.readStep(child))?.journal).toEqual([ofChild]);
    });
  });
}
