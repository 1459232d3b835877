// If this fails: a step that ends leaves the wrong results, the wrong status, or a run that should go on or end.
import { describe, expect, it } from 'vitest';
import { abandonStep } from '../src/engine/children/abandon-step.ts';
import { stepEnd, type StepEnd } from '../src/engine/step/step-end.ts';
import { callKeyText } from '../src/store/call-key.ts';
import { suspendedStatus } from '../src/engine/step/suspend-plan.ts';
import type { AcceptedAnswer } from '../src/engine/step/decide-step.ts';
import type {
  CallResult,
  CloseReason,
  OpenCallRow,
  PlannedCall,
  StepRecord,
} from '../src/store/rows.ts';
import {
  call,
  describeError,
  failed,
  open,
  record,
  results,
  row,
  session,
  succeeded,
} from './step-kit.ts';

const finish = call(0, 'finish');
const server = call(0, 'server');
const goesOn: StepRecord = record([], { stop: false });

const ENDS: readonly (readonly [string, StepRecord, readonly CallResult[], number, string])[] = [
  ['a final text', record([]), [], 1, 'completed "Hello"'],
  ['a text that is not final', goesOn, [], 1, 'running'],
  ['a server call', record([server]), [succeeded('found')], 1, 'running'],
  ['a finish call', record([finish]), [succeeded('done')], 1, 'completed "done"'],
  ['a finish call that failed', record([finish]), [failed('tool_input_invalid')], 1, 'running'],
  [
    'a finish call beside a server call',
    record([server, call(1, 'finish')]),
    [succeeded('found'), succeeded('done')],
    1,
    'completed "done"',
  ],
  ['the step before the last', record([server]), [succeeded('found')], 2, 'running'],
  ['the last step', record([server]), [succeeded('found')], 3, 'failed run_max_steps_exceeded'],
  ['a finish call in the last step', record([finish]), [succeeded('done')], 3, 'completed "done"'],
];

describe('stepEnd: what a committed step makes of its run, at most 3 steps', () => {
  it.each(ENDS)('%s', (_, step, outcomes, stepCount, expected) => {
    expect(textOf(stepEnd({ maxSteps: 3 }, step, outcomes, stepCount))).toBe(expected);
  });
});

const client = (index: number): PlannedCall => call(index, 'client');
const accepted = (index: number): AcceptedAnswer => ({
  call: client(index),
  result: succeeded('answer'),
  row: row(index, 'answered', { outcome: 'answered' }),
});

const STATUSES: readonly (readonly [
  string,
  readonly PlannedCall[],
  {
    readonly rows: readonly OpenCallRow[];
    readonly accepted?: readonly AcceptedAnswer[];
    readonly done?: readonly number[];
  },
  string,
])[] = [
  ['a call of its own is open', [client(0)], { rows: [row(0, 'open')] }, 'suspended_client_tool'],
  [
    'a call of a child is open',
    [call(0, 'subagent')],
    { rows: [open] },
    'suspended_awaiting_children',
  ],
  [
    'own and child call are open',
    [client(0), call(1, 'subagent')],
    { rows: [row(0, 'open'), open] },
    'suspended_client_tool',
  ],
  [
    'one of two is answered now',
    [client(0), client(1)],
    {
      rows: [row(0, 'answered', { outcome: 'answered' }), row(1, 'open')],
      accepted: [accepted(0)],
    },
    'suspended_step_partial',
  ],
  [
    'one of two was answered before',
    [client(0), client(1)],
    { rows: [row(1, 'open')], done: [0] },
    'suspended_step_partial',
  ],
  [
    'its own is answered, one of a child open',
    [client(0), call(1, 'subagent')],
    { rows: [open], done: [0] },
    'suspended_step_partial',
  ],
  [
    'a server call is done, one is open',
    [server, client(1)],
    { rows: [row(1, 'open')], done: [0] },
    'suspended_client_tool',
  ],
];

describe('suspendedStatus: what a suspended session waits for', () => {
  it.each(STATUSES)('%s', (_, calls, { rows, accepted: taken = [], done = [] }, expected) => {
    const view = {
      session: session(),
      plan: record(calls),
      results: results(...done),
      calls: rows,
    };
    expect(suspendedStatus(view, taken)).toBe(expected);
  });
});

interface Abandoned {
  readonly call: PlannedCall;
  readonly done?: boolean;
  /** A start was recorded. */
  readonly started?: boolean;
  readonly row?: OpenCallRow;
  /** A row that came down with the close. */
  readonly fromAbove?: OpenCallRow;
}

const approval = call(0, 'approval', { execution: 'once' });
const once = call(0, 'server', { execution: 'once' });
const approved = row(0, 'answered', { outcome: 'approved' });

/** Results by reason: aborted, superseded. */
const ABANDONED: readonly (readonly [string, Abandoned, string, string])[] = [
  ['a recorded result', { call: server, done: true }, 'success 0', 'success 0'],
  ['a server call that did not run', { call: server }, 'aborted', 'call_superseded'],
  ['a once call that did not start', { call: once }, 'aborted', 'call_superseded'],
  [
    'a once call that was started',
    { call: once, started: true },
    'tool_outcome_unknown',
    'tool_outcome_unknown',
  ],
  ['an open client call', { call: client(0), row: row(0, 'open') }, 'aborted', 'call_superseded'],
  [
    'an answered client call',
    { call: client(0), row: row(0, 'answered', { outcome: 'answered' }) },
    'success "answer"',
    'success "answer"',
  ],
  [
    'an open client call, answered above',
    {
      call: client(0),
      row: row(0, 'open'),
      fromAbove: row(0, 'answered', { outcome: 'answered' }),
    },
    'success "answer"',
    'success "answer"',
  ],
  [
    'an expired client call',
    { call: client(0), row: row(0, 'answered', { outcome: 'expired' }) },
    'client_tool_timeout',
    'client_tool_timeout',
  ],
  [
    'an approved call that did not run',
    { call: approval, row: approved },
    'tool_not_executed',
    'tool_not_executed',
  ],
  [
    'an approved call that was started',
    { call: approval, row: approved, started: true },
    'tool_outcome_unknown',
    'tool_outcome_unknown',
  ],
  [
    'a denied call',
    { call: approval, row: row(0, 'answered', { outcome: 'denied' }) },
    'tool_approval_denied',
    'tool_approval_denied',
  ],
  ['a child', { call: call(0, 'subagent') }, 'aborted', 'call_superseded'],
];

describe('abandonStep: the result of a call whose step is closed from outside', () => {
  for (const [what, abandoned, aborted, superseded] of ABANDONED) {
    it(`${what}, aborted`, () => expect(resultOf(abandoned, 'aborted')).toBe(aborted));
    it(`${what}, superseded`, () => expect(resultOf(abandoned, 'superseded')).toBe(superseded));
  }

  it('appends the assistant message and one tool message per call, in call order', () => {
    const { messages } = abandonStep(viewOf({ call: server }), 'aborted');
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('does not append the assistant message again after a suspension', () => {
    const view = { ...viewOf({ call: server }), session: session({ stepMessage: 2 }) };
    expect(abandonStep(view, 'aborted').messages.map(({ role }) => role)).toEqual(['tool']);
  });

  it('counts the usage of calls that get their result here, and not of children', () => {
    const settledOf = (abandoned: Abandoned): number =>
      abandonStep(viewOf(abandoned), 'aborted').settled.length;
    expect(settledOf({ call: server })).toBe(1);
    expect(settledOf({ call: server, done: true })).toBe(0);
    expect(settledOf({ call: call(0, 'subagent') })).toBe(0);
  });
});

function textOf(end: StepEnd): string {
  switch (end.status) {
    case 'running':
      return 'running';
    case 'completed':
      return `completed ${JSON.stringify(end.output)}`;
    case 'failed':
      return `failed ${end.error.code}`;
  }
}

function viewOf({
  call: planned,
  done,
  started,
  row: own,
}: Abandoned): Parameters<typeof abandonStep>[0] {
  return {
    session: session(),
    plan: record([planned]),
    journal: [],
    results: done ? results(0) : new Map(),
    starts: new Map(started ? [[0, 'attempt']] : []),
    calls: own ? [own] : [],
    describe: describeError,
  };
}

function resultOf(abandoned: Abandoned, reason: CloseReason): string | undefined {
  const { fromAbove } = abandoned;
  const answers = new Map(fromAbove ? [[callKeyText(fromAbove), fromAbove]] : []);
  const [result] = abandonStep(viewOf(abandoned), reason, answers).results;
  if (!result) return undefined;
  const { outcome } = result;
  return outcome.success ? `success ${JSON.stringify(outcome.value)}` : outcome.error.code;
}
