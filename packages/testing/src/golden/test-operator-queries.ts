// If this fails: an operator in the middle of the night runs the query of the runbook and gets an error, or a lie.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestWorld } from '../world/test-world.ts';
import { finishSession, openGolden, SESSION, suspendSession } from './golden-session.ts';

type Rows = readonly { readonly [column: string]: unknown }[];

export interface QueriedWorld extends TestWorld {
  /** One statement, as an operator's client sends it. */
  readonly query: (sql: string) => Promise<Rows>;
}

export interface TestOperatorQueriesOptions {
  readonly name: string;
  readonly dialect: 'sqlite' | 'postgres';
  /** A world with empty world. */
  create(): Promise<QueriedWorld>;
}

/** The queries of the runbook, on sessions that the engine made. */
export function testOperatorQueries(options: TestOperatorQueriesOptions): void {
  const sql = options.dialect === 'sqlite' ? SQLITE : POSTGRES;
  const open = async (): Promise<QueriedWorld> => {
    const world = await options.create();
    onTestFinished(() => world.close());
    await suspendSession(world);
    return world;
  };

  describe(`operators' queries: ${options.name}`, () => {
    it('say what a session waits for, and who asks', async () => {
      const { query } = await open();
      const [root] = await query(statesOf(SESSION));
      expect(namesIn(root?.['pending_client_tool_calls'])).toEqual(['call_3', 'call_4', 'call_6']);
      const owners = Object.values(parse(root?.['client_tool_call_ownership'])).map(String);
      expect(owners.toSorted()).toEqual([SESSION, SESSION, SESSION, `${SESSION}-sub-3-3`]);
      const [child] = await query(statesOf(`${SESSION}-sub-3-3`));
      expect(namesIn(child?.['pending_client_tool_calls'])).toHaveLength(1);
      expect(child?.['client_tool_call_ownership']).toBe('{}');
      expect(Number((await query(PENDING))[0]?.['sessions'])).toBe(2);
    });

    it('say what a suspended session goes on with, and how far its children are', async () => {
      const { query } = await open();
      const childId = `${SESSION}-sub-3-3`;
      const [root] = await query(
        `SELECT suspension_context FROM __agents_states WHERE session_id = '${SESSION}'`,
      );
      const context = parse(root?.['suspension_context']);
      expect(context).toMatchObject({ suspendedAwaitingChildren: [childId], failureReason: null });
      expect(Object.keys(context).toSorted()).toEqual([
        'expiresAt',
        'failureReason',
        'suspendedAwaitingChildren',
        'suspendedStepId',
        'tracingContext',
      ]);
      expect(context['tracingContext']).toHaveProperty('metadata');
      const references = await query(
        `SELECT status, remote_json FROM __agents_sub_session_refs WHERE sub_session_id = '${childId}'`,
      );
      expect(references).toEqual([{ status: 'active', remote_json: null }]);
      const flags = await query(
        'SELECT session_id, interrupted, reason, timestamp FROM __agents_interrupt_flags',
      );
      expect(flags).toEqual([]);
    });

    it('list completed calls of the tree at the root, and children that have ended', async () => {
      const world = await open();
      await finishSession(openGolden(world));
      const rows = await world.query(
        'SELECT session_id, completed_client_tool_calls AS calls FROM __agents_states',
      );
      for (const { session_id: sessionId, calls } of rows) {
        const completed = parse(calls);
        if (sessionId !== SESSION) expect(completed).toEqual({});
        else expect(completed['call_3']).toMatchObject({ toolCallId: 'call_3' });
      }
      const ended = await world.query(`SELECT DISTINCT status FROM __agents_sub_session_refs`);
      expect(ended).toEqual([{ status: 'completed' }]);
    });

    it('count waits and timeouts per tool', async () => {
      const world = await open();
      await finishSession(openGolden(world));
      expect(Number((await world.query(PENDING))[0]?.['sessions'])).toBe(0);
      const rates = await world.query(sql.timeoutRate);
      expect(rates[0]).toMatchObject({ tool_name: 'late' });
      const counts = rates.map((row) =>
        [row['tool_name'], row['total_waits'], row['timeouts']].map(String).join(),
      );
      expect(counts.toSorted()).toEqual([
        'greet,1,0',
        'late,1,1',
        'look,1,0',
        'pick,1,0',
        'send,1,0',
      ]);
      expect(Number(rates[0]?.['timeout_pct'])).toBe(100);
      const waits = await world.query(sql.waits);
      expect(waits.map((row) => String(row['tool_name'])).toSorted()).toEqual([
        'greet',
        'late',
        'look',
        'pick',
        'send',
      ]);
      for (const row of waits) {
        expect(Number(row['wait_count'])).toBe(1);
        for (const name of sql.measures) expect(Number(row[name])).toBeGreaterThanOrEqual(0);
      }
    });

    it('find no call with two results, and repair one that was written by hand', async () => {
      const world = await open();
      await finishSession(openGolden(world));
      expect(await world.query(DUPLICATES)).toEqual([]);
      await world.query(COPY);
      expect(await world.query(DUPLICATES)).toMatchObject([
        { session_id: SESSION, tool_call_id: 'call_3' },
      ]);
      await world.query(REPAIR);
      expect(await world.query(DUPLICATES)).toEqual([]);
    });

    it('say which version the schema has', async () => {
      const { query } = await open();
      const versions = await query('SELECT version FROM __agents_migrations');
      expect(versions).toHaveLength(1);
      expect(Number(versions[0]?.['version'])).toBeGreaterThanOrEqual(12);
    });
  });
}

const statesOf = (sessionId: string): string => `SELECT session_id, client_tool_call_ownership,
    pending_client_tool_calls FROM __agents_states WHERE session_id = '${sessionId}'`;

const PENDING = `SELECT count(*) AS sessions FROM __agents_states
  WHERE pending_client_tool_calls IS NOT NULL
    AND pending_client_tool_calls != '{}' AND pending_client_tool_calls != ''`;

const DUPLICATES = `SELECT session_id, tool_call_id, COUNT(*) AS results FROM __agents_messages
  WHERE role = 'tool' AND tool_call_id IS NOT NULL
  GROUP BY session_id, tool_call_id HAVING COUNT(*) > 1 ORDER BY 1, 2`;

const ofOneCall = `role = 'tool' AND session_id = '${SESSION}' AND tool_call_id = 'call_3'`;

const COPY = `INSERT INTO __agents_messages
    (session_id, sequence, message, created_at, role, tool_call_id, message_id)
  SELECT session_id, sequence + 1000, message, created_at, role, tool_call_id, message_id || '~'
  FROM __agents_messages WHERE ${ofOneCall}`;

const REPAIR = `DELETE FROM __agents_messages WHERE ${ofOneCall}
  AND message_id > (SELECT MIN(message_id) FROM __agents_messages WHERE ${ofOneCall})`;

// As operators have them: not a word is changed for these world.

const POSTGRES = {
  timeoutRate: `
WITH waits AS (
  SELECT source_name AS tool_name, COUNT(*) AS total
  FROM __agents_usage
  WHERE source_type = 'client_tool_wait_ms'
    AND timestamp > (extract(epoch from now()) * 1000 - 3600000)
  GROUP BY source_name
),
timeouts AS (
  SELECT source_name AS tool_name, SUM((data->>'value')::int) AS timed_out
  FROM __agents_usage
  WHERE source_type = 'client_tool_timeout'
    AND timestamp > (extract(epoch from now()) * 1000 - 3600000)
  GROUP BY source_name
)
SELECT w.tool_name,
       w.total AS total_waits,
       COALESCE(t.timed_out, 0) AS timeouts,
       ROUND(100.0 * COALESCE(t.timed_out, 0) / w.total, 2) AS timeout_pct
FROM waits w
LEFT JOIN timeouts t USING (tool_name)
ORDER BY timeout_pct DESC;`,
  waits: `
SELECT source_name AS tool_name,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY (data->>'value')::float) AS p50_ms,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY (data->>'value')::float) AS p95_ms,
       COUNT(*) AS wait_count
FROM __agents_usage
WHERE kind = 'custom'
  AND source_type = 'client_tool_wait_ms'
  AND timestamp > (extract(epoch from now()) * 1000 - 3600000)
GROUP BY source_name
ORDER BY p95_ms DESC;`,
  measures: ['p50_ms', 'p95_ms'],
};

const SQLITE = {
  timeoutRate: POSTGRES.timeoutRate
    .replaceAll('extract(epoch from now())', "strftime('%s', 'now')")
    .replaceAll("(data->>'value')::int", "json_extract(data, '$.value')"),
  waits: `
SELECT source_name AS tool_name,
       AVG(CAST(json_extract(data, '$.value') AS REAL)) AS avg_ms,
       COUNT(*) AS wait_count
FROM __agents_usage
WHERE kind = 'custom'
  AND source_type = 'client_tool_wait_ms'
  AND timestamp > (strftime('%s', 'now') * 1000 - 3600000)
GROUP BY source_name
ORDER BY avg_ms DESC;`,
  measures: ['avg_ms'],
};

function parse(json: unknown): { readonly [key: string]: unknown } {
  return JSON.parse(String(json)) as { readonly [key: string]: unknown };
}

function namesIn(json: unknown): string[] {
  return Object.keys(parse(json)).toSorted();
}
