import {
  FAULT_KINDS,
  type ClientOutcome,
  type DumpedTree,
  type History,
  type StoreWrite,
} from '../history/types.ts';

/** How often each thing was seen over many schedules. */
export interface Coverage {
  readonly seen: Record<string, number>;
  operations: number;
  succeeded: number;
}

export function emptyCoverage(): Coverage {
  return { seen: {}, operations: 0, succeeded: 0 };
}

/** What has to be seen before a batch says anything: every way a session, a run, a call and a fault can go. */
export const WANTED: readonly string[] = [
  ...FAULT_KINDS.map((kind) => `fault ${kind}`),
  ...['completed', 'failed'].map((status) => `session ${status}`),
  ...[
    'completed',
    'failed',
    'interrupted',
    'suspended_client_tool',
    'suspended_awaiting_children',
    'suspended_step_partial',
  ].map((status) => `run ${status}`),
  ...['answered', 'approved', 'denied', 'expired', 'cancelled', 'superseded'].map(
    (outcome) => `call ${outcome}`,
  ),
  ...[0, 1, 2, 3].map((depth) => `call at depth ${depth}`),
  ...['accepted', 'already_completed', 'expired', 'unknown_tool_call', 'INVALID_REQUEST'].map(
    (answer) => `submit ${answer}`,
  ),
  ...['tool_outcome_unknown', 'tool_execution_failed', 'subagent_failed', 'aborted'].map(
    (code) => `result ${code}`,
  ),
  'commit refused',
  'takeover',
  'stopped text kept',
  'stopped text appended',
];

const SUCCESS: ReadonlySet<string> = new Set([
  'started',
  'accepted',
  'requested',
  'interrupted',
  'aborted',
  'swept',
]);

export function addCoverage(coverage: Coverage, history: History): void {
  for (const what of [
    ...history.faults.map(({ kind }) => `fault ${kind}`),
    ...history.client.map(({ request, outcome }) => `${request.kind} ${heard(outcome)}`),
    ...history.end.trees.flatMap(seenInTree),
    ...history.writes.flatMap(seenInWrite),
  ])
    coverage.seen[what] = (coverage.seen[what] ?? 0) + 1;
  coverage.operations += history.client.length;
  coverage.succeeded += history.client.filter(({ outcome }) => SUCCESS.has(heard(outcome))).length;
}

function heard(outcome: ClientOutcome): string {
  if (outcome.kind === 'ok') return outcome.status;
  return outcome.kind === 'error' ? outcome.code : 'unknown';
}

function seenInTree({ sessions, calls }: DumpedTree): string[] {
  return [
    ...calls.flatMap(({ outcome, route }) => [
      `call ${outcome}`,
      `call at depth ${route.length - 1}`,
    ]),
    ...sessions.flatMap(({ session, runs, messages }) => [
      `session ${session.status}`,
      ...runs.map((run) => `run ${run.status}`),
      ...messages.flatMap(({ message }) =>
        message.role === 'tool' ? [`result ${message.errorDetail?.code ?? 'success'}`] : [],
      ),
    ]),
  ];
}

function seenInWrite(write: StoreWrite): string[] {
  if (write.kind !== 'commit') return [];
  if (!write.applied) return ['commit refused'];
  const { sessions = [], insert = {} } = write.plan;
  const isKept = insert.journal?.some(({ kind }) => kind === 'stopped');
  const isAppended = insert.messages?.some(({ message }) => 'stopped' in message);
  return [
    ...(sessions.some(({ set }) => (set?.recoveries ?? 0) > 0) ? ['takeover'] : []),
    ...(isKept ? ['stopped text kept'] : []),
    ...(isAppended ? ['stopped text appended'] : []),
  ];
}

export function mergeCoverage(into: Coverage, other: Coverage): void {
  into.operations += other.operations;
  into.succeeded += other.succeeded;
  for (const [what, count] of Object.entries(other.seen))
    into.seen[what] = (into.seen[what] ?? 0) + count;
}

/** L2: what a batch did not see, so that its silence proves nothing. */
export function coverageGaps(coverage: Coverage): string[] {
  const missing = WANTED.filter((what) => !coverage.seen[what]).map((what) => `never saw: ${what}`);
  const share = coverage.succeeded / Math.max(1, coverage.operations);
  return share >= 0.5
    ? missing
    : [...missing, `only ${Math.round(share * 100)} % of the operations succeeded`];
}
