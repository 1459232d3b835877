import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HOOK_TABLE } from '@helix-agents/core';
import { createHelix } from '@helix-agents/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { createTravelDesk } from '../src/agents.ts';
import { databaseIn } from '../src/database.ts';
import { scriptedModel } from '../src/model.ts';

const guide = (name: string): string =>
  readFileSync(new URL(`../../../docs/guides/${name}.md`, import.meta.url), 'utf8');

/** One session that is done, one with an answer nobody took in, one that waits. */
async function fillDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-runbook-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const travelDesk = createTravelDesk(folder);
  const helix = createHelix({
    model: scriptedModel,
    database: databaseIn(folder),
    agents: [travelDesk],
    recoverEveryMs: false,
  });
  for (const sessionId of ['done', 'answered', 'waiting']) {
    const handle = await helix.run(travelDesk, 'Lisbon, please.', { sessionId });
    await handle.result();
    if (sessionId === 'waiting') continue;
    const { items } = await helix.executor.listOpenCalls({ rootSessionId: sessionId });
    for (const { kind, toolCallId } of items) {
      await helix.submitToolResult(
        kind === 'approval'
          ? {
              kind: 'approval-response',
              sessionId,
              toolCallId,
              approved: true,
              input: { hotel: 'Hotel Baixa', nights: 2, pricePerNight: 90 },
            }
          : { kind: 'client-tool-result', sessionId, toolCallId, result: { seat: '12A' } },
        { answeredBy: 'grace' },
      );
    }
    if (sessionId === 'done') await (await helix.resume(sessionId)).result();
  }
  await helix.close();
  return databaseIn(folder);
}

it('has queries in the runbook that answer on SQLite', async () => {
  const queries = [...guide('runbook').matchAll(/```sql\n-- SQLite\n(.*?)```/gs)].map(
    ([, sql = '']) => sql,
  );
  const database = new DatabaseSync(await fillDatabase(), { readOnly: true });
  onTestFinished(() => database.close());

  const answers = queries.map((sql) => {
    const statement = database.prepare(sql);
    return sql.includes(':root') ? statement.all({ root: 'done' }) : statement.all();
  });

  const [open, answered, states, owners, expired, who, messages, health, usage] = answers;
  expect(open).toHaveLength(2);
  expect(open?.[0]).toMatchObject({ root_id: 'waiting' });
  expect(answered).toHaveLength(2);
  expect(answered?.[0]).toMatchObject({ root_id: 'answered', answered_by: 'grace' });
  expect(states).toHaveLength(2);
  expect(states?.[0]).toMatchObject({ session_id: 'done', status: 'completed' });
  expect(owners).toEqual([]);
  expect(expired).toEqual([]);
  expect(who).toContainEqual(
    expect.objectContaining({
      tool_name: 'book_hotel',
      outcome: 'approved',
      answered_by: 'grace',
      edited: '{"hotel":"Hotel Baixa","nights":2,"pricePerNight":90}',
    }),
  );
  expect(messages).toHaveLength(2);
  expect(health).toEqual([{ overdue: 0, not_taken_in: 2, without_owner: 0, open: 2 }]);
  expect(usage).toMatchObject([
    { metric: 'client_tool_wait_ms', tool_name: 'book_hotel', entries: 1 },
    { metric: 'client_tool_wait_ms', tool_name: 'pick_seat', entries: 1 },
  ]);
});

it('shows the table of hooks as the engine has it', () => {
  const rows = [...guide('hooks').matchAll(/^\| `(\w+)` \| ([\w ]+) \| (\w+) \| (\w+) \|$/gm)];

  const documented = rows.map(([, name, operation, when, mayUpdate]) => [
    name,
    { operation, when, mayUpdate },
  ]);

  expect(documented).toEqual(
    Object.entries(HOOK_TABLE).map(([name, { operation, when }]) => [
      name,
      { operation, when, mayUpdate: when === 'before' ? 'yes' : 'no' },
    ]),
  );
});
