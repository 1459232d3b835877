// If this fails: the page that operators write their alerts from names an event that never comes, or hides one that does.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { provokeEvents } from './provoke-events.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}docs/guides/logging.md`, 'utf8');

interface Event {
  readonly name: string;
  readonly level: string;
}

const documented = new Map(
  [...page.matchAll(/^\| `([\w.]+)` \| (debug|info|warn|error) \| ([^|]*) \|/gm)].map(
    ([, name = '', level = '', fields = '']) => [
      name,
      { level, fields: fields.trim().split(', ') },
    ],
  ),
);
const impossible = [...page.matchAll(/^\| `([\w.]+)` \| (?!debug|info|warn|error)/gm)].map(
  ([, name]) => name,
);

/** What a source logs: a method of a logger, called with the name of an event. */
function loggedBy(file: string): Event[] {
  const source = readFileSync(root + file, 'utf8');
  const calls = source.matchAll(
    /\.(debug|info|warn|error)(?:\?\.)?\(\s*'([a-z_]+(?:\.[a-z_]+)+)'/g,
  );
  return [...calls].map(([, level = '', name = '']) => ({ name, level }));
}

const logged = new Set(
  globSync('packages/*/src/**/*.ts', { cwd: root })
    .flatMap(loggedBy)
    .map(({ name, level }) => `${name} (${level})`),
);

it('docs/guides/logging.md lists the events that the sources of all packages log, with their levels', () => {
  const listed = new Set([...documented].map(([name, { level }]) => `${name} (${level})`));
  expect(
    [...listed].filter((event) => !logged.has(event)),
    'listed, but never logged',
  ).toEqual([]);
  expect(
    [...logged].filter((event) => !listed.has(event)),
    'logged, but not listed',
  ).toEqual([]);
});

it('docs/guides/logging.md says of every event that operators look for whether it can occur', () => {
  const known = [...documented.keys(), ...impossible];
  expect(new Set(known).size).toBe(known.length);
  expect(known).toEqual(expect.arrayContaining(EXPECTED_BY_OPERATORS));
});

it('docs/guides/logging.md lists the fields of each event', async () => {
  const events = await provokeEvents();
  for (const name of PROVOKED) expect(events.map((one) => one.name)).toContain(name);
  for (const { name, level, data } of events) {
    const entry = documented.get(name);
    expect(level, name).toBe(entry?.level);
    expect(Object.keys(data), name).toEqual(entry?.fields);
  }
});

/** Names people look for, from the runbooks they have. */
const EXPECTED_BY_OPERATORS = [
  'agent.resumed',
  'agent.suspended',
  'subagent.dispatch_failed',
  'submit_tool_result.schema_limits_unreadable',
  'usage_store.consumer_factory_failed',
  ...[
    'aborted',
    'clear_failed_exhausted',
    'clear_pending_retry',
    'orphan_drain_bulk_clear_failed',
    'orphan_drain_clear_entries_summary',
    'orphan_drain_clear_entry_failed',
    'orphan_drain_clear_ownership_failed',
    'orphan_recovery_started',
    'orphan_resolved',
    'ownership_clear_failed',
    'ownership_retry',
    'ownership_write_failed',
    'send_event_failed',
    'signal_failed',
    'submit_unknown',
    'submitted',
    'suspended',
    'timeout',
    'validation_failed',
  ].map((name) => `client_tool.${name}`),
];

const PROVOKED = [
  'agent.resumed',
  'agent.suspended',
  'approval.predicate_failed',
  'approval.predicate_undecided',
  'client_tool.aborted',
  'client_tool.submit_failed',
  'client_tool.submit_unknown',
  'client_tool.submitted',
  'client_tool.suspended',
  'client_tool.timeout',
  'client_tool.unvalidated',
  'client_tool.validation_failed',
  'hook.failed',
  'model.retry',
  'operation.retry',
  'recovery.agent_unknown',
  'retention.stream_left',
  'run.died',
  'stream.limited',
  'stream.write_failed',
  'subagent.dispatch_failed',
];
