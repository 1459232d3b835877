import { callKey } from '@helix-agents/core/store';
import type { OpenCallRow, SessionRow } from '@helix-agents/core';
import type { CommitPlan, MessageRow } from '@helix-agents/core/store';
import { callRow, messageRow, sessionRow } from '@helix-agents/testing';
import { describe, expect, it } from 'vitest';
import { renderBatch, type Statement } from '../src/index.ts';

/** What D1 and Durable Objects bind at most. */
const MAX_PARAMS = 100;

function planOf(size: number, set: Partial<SessionRow>): CommitPlan {
  const numbers = Array.from({ length: size }, (_, index) => index + 1);
  const calls: OpenCallRow[] = numbers.map((n) => callRow(`call-${n}`));
  const messages: MessageRow[] = numbers.map((n) => messageRow(n));
  return {
    kind: 'edit',
    rootId: 's1',
    commitId: 'c1',
    now: 1,
    guard: {
      sessions: numbers.map((n) => ({ sessionId: `s${n}`, version: n })),
      callsOpen: calls,
      calls: calls.map((key) => ({ key, state: 'answered', outcome: 'approved' })),
      references: numbers.map((n) => ({
        sessionId: 's1',
        subSessionId: `k${n}`,
        state: 'live',
      })),
      journalAbsent: numbers.map((index) => ({ sessionId: 's1', stepId: 1, index, kind: 'start' })),
    },
    sessions: [{ sessionId: 's1', set }, ...numbers.map((n) => ({ sessionId: `k${n}`, set }))],
    insert: {
      sessions: numbers.map((n) => sessionRow({ sessionId: `new-${n}` })),
      messages,
      calls,
    },
    update: {
      calls: calls.map((key) => ({ key, set: { state: 'settled' }, onlyIf: 'open' })),
      runs: numbers.map((n) => ({ runId: `run-${n}`, set: { status: 'completed' } })),
    },
    remove: {
      journal: numbers.map((stepId) => ({ sessionId: 's1', stepId })),
      messagesAfter: numbers.map((n) => ({ sessionId: `k${n}`, sequence: 1 })),
    },
  };
}

/** A different set of fields for each number. */
function someFields(seed: number): Partial<SessionRow> {
  const entries = Object.entries(sessionRow({ sessionId: 's1' })).filter(
    (_, index) => (seed >> (index % 10)) & 1,
  );
  return Object.fromEntries(entries) as Partial<SessionRow>;
}

describe('a rendered commit', () => {
  it.each([0, 1, 60, 2_000])(
    'binds few parameters per statement with %i rows of a kind',
    (size) => {
      for (const { params } of renderBatch(planOf(size, someFields(1023)))) {
        expect(params.length).toBeLessThanOrEqual(MAX_PARAMS);
      }
    },
  );

  it('numbers the parameters of each statement without a gap', () => {
    for (const size of [0, 1, 60]) {
      for (const { sql, params } of renderBatch(planOf(size, {}))) {
        const used = new Set([...sql.matchAll(/\?(\d+)/g)].map(([, number]) => Number(number)));
        expect([...used].toSorted((a, b) => a - b)).toEqual(params.map((_, index) => index + 1));
      }
    }
  });

  it('has two texts per table, independent of the number of rows and of changed fields', () => {
    const texts = new Set<string>();
    for (let seed = 0; seed < 300; seed += 1) {
      for (const { sql } of renderBatch(planOf(seed % 70, someFields(seed * 7)))) texts.add(sql);
    }
    // Guard; then sessions twice, messages, calls twice, runs and the journal with two texts each, one more removal.
    expect(texts.size).toBeLessThanOrEqual(1 + 7 * 2 + 1);
  });

  it('names only the columns it sets and compares when it updates one session guarded by its own row', () => {
    const plan: CommitPlan = {
      kind: 'step',
      rootId: 's1',
      commitId: 'c1',
      now: 1,
      guard: {
        sessions: [{ sessionId: 's1', version: 3, epoch: 2, status: ['running'] }],
        interruptsAbsent: [{ sessionId: 's1', runId: 'r1' }],
      },
      sessions: [{ sessionId: 's1', set: { stepId: 9 }, raise: { version: true } }],
    };
    const [first] = renderBatch(plan);
    expect(first?.sql).toMatch(
      /^update __agents_sessions set write_id = \?1, step_id = \?2, version = version \+ 1 where session_id = \?3/,
    );
    expect(first?.params).toEqual(['c1', 9, 's1', 3, 2, 'running', 's1', 'r1']);
  });

  it('compares few calls one by one, and many as a list', () => {
    const render = (count: number): Statement | undefined => {
      const calls = Array.from({ length: count }, (_, index) => callRow(`call-${index}`));
      const [decided, ...open] = calls.map(callKey);
      const guard: CommitPlan['guard'] = {
        sessions: [{ sessionId: 's1', version: 3 }],
        callsOpen: open,
        calls: decided ? [{ key: decided, state: 'answered', outcome: 'approved' }] : [],
      };
      const sessions = [{ sessionId: 's1', set: { stepId: 9 } }];
      return renderBatch({
        kind: 'edit',
        rootId: 's1',
        commitId: 'c1',
        now: 1,
        guard,
        sessions,
      })[0];
    };
    expect(render(2)?.sql.match(/exists \(select 1 from __agents_open_calls/g)).toHaveLength(2);
    expect(render(2)?.params).toEqual(
      ['c1', 9, 's1', 3].concat(['s1', 'call-1', '', 's1', 'call-0', '', 'answered', 'approved']),
    );
    expect(render(4)?.sql).toContain('json_each');
    expect(render(70)?.sql).toBe(render(4)?.sql);
  });

  it('has the guards in its first statement, which stamps the write id that the others look for', () => {
    const [first, ...others] = renderBatch(planOf(3, {}), 'write-1');
    expect(first?.sql).toContain('write_id = ?');
    expect(first?.params).toContain('write-1');
    for (const { sql, params } of others) {
      expect(sql).toContain('p.write_id = ?');
      expect(params.slice(-2)).toEqual(['s1', 'write-1']);
    }
  });

  it('guards the insert of its first session when it updates none', () => {
    const insert = { sessions: [sessionRow({ sessionId: 's1' }), sessionRow({ sessionId: 's2' })] };
    const plan = { rootId: 's1', commitId: 'c1', now: 1, guard: {}, insert };
    const [first, second] = renderBatch({ kind: 'create', ...plan });
    expect(first?.sql).toMatch(/^insert into __agents_sessions .* where not exists/s);
    expect(second?.params.slice(-2)).toEqual(['s1', 'c1']);
  });

  it('keeps each parameter below the limit of D1, and a large row in a statement of its own', () => {
    const large = 'x'.repeat(100_000);
    const messages = Array.from({ length: 400 }, (_, index) =>
      messageRow(index + 1, {
        message: { role: 'user', content: index === 7 ? large : 'y'.repeat(5_000) },
      }),
    );
    const plan = { ...planOf(0, {}), insert: { messages } };
    const statements = renderBatch(plan).slice(1);
    const lengths = statements.flatMap(({ params }) => params.map((value) => String(value).length));
    expect(Math.max(...lengths)).toBeLessThan(600_000);
    expect(new Set(statements.map(({ sql }) => sql)).size).toBe(2);
  });

  it('throws for a plan without a session', () => {
    const plan: CommitPlan = { kind: 'edit', rootId: 's1', commitId: 'c1', now: 1, guard: {} };
    expect(() => renderBatch(plan)).toThrow(/at least one session/);
  });
});
