import { calls, says, stepOf, turnOf, type Scenario } from '../scenario.ts';
import { approve, result } from './human-calls.ts';

/** Stopped while a tool and a child work, then resumed. */
export const interruptRunning: Scenario = {
  name: 'interrupt while running',
  messages: ['go'],
  agent(kit) {
    const worker = kit.agent('worker', [kit.server('dig', { ms: 3_000 })], { finishes: true });
    return kit.agent('stopped', [
      kit.server('quick', { notes: true }),
      kit.server('slow', { notes: true, ms: 3_000 }),
      kit.child(worker),
    ]);
  },
  model(input) {
    const step = stepOf(input.messages);
    if (input.agentType === 'worker') {
      return calls(input, '', step === 0 ? ['dig'] : ['__finish__', { found: 'gold' }]);
    }
    return step === 0
      ? calls(input, '', ['quick'], ['slow'], ['subagent__worker'])
      : says('went on after the stop');
  },
  decide: ({ root, running }) =>
    root.turn === 1 && root.status === 'running' && running('slow') && running('dig')
      ? { kind: 'interrupt' }
      : { kind: 'wait' },
};

/** Stopped in mid-sentence, then resumed: what was said is withdrawn, and all of it is said again. */
export const interruptSpeaking: Scenario = {
  name: 'interrupt in mid-sentence',
  messages: ['go'],
  agent: (kit) => kit.agent('stopped', []),
  model: () => says('a sentence that is long enough to be stopped before it ends'),
  decide: ({ root, ledger }) =>
    root.turn === 1 && root.status === 'running' && ledger.prompts > 0
      ? { kind: 'interrupt' }
      : { kind: 'wait' },
};

/** Stopped while it waits for people: their calls are cancelled, and it goes on without them. */
export const interruptSuspended: Scenario = {
  name: 'interrupt while suspended',
  messages: ['go'],
  agent(kit) {
    const asker = kit.agent('asker', [kit.client('pick')], { finishes: true });
    return kit.agent('stopped', [kit.client('choose'), kit.child(asker)]);
  },
  model(input) {
    const step = stepOf(input.messages);
    if (input.agentType === 'asker') {
      return calls(input, '', step === 0 ? ['pick'] : ['__finish__', { ok: 'no' }]);
    }
    return step === 0 ? calls(input, '', ['choose'], ['subagent__asker']) : says('without them');
  },
  decide: ({ root }) =>
    root.turn === 1 && root.status.startsWith('suspended_')
      ? { kind: 'interrupt' }
      : { kind: 'wait' },
};

/** Aborted while a tool works. */
export const abortRunning: Scenario = {
  name: 'abort while running',
  messages: ['go'],
  agent: (kit) =>
    kit.agent('aborted', [
      kit.server('quick', { notes: true }),
      kit.server('slow', { notes: true, ms: 3_000 }),
    ]),
  model: (input) =>
    stepOf(input.messages) === 0 ? calls(input, '', ['quick'], ['slow']) : says('never said'),
  // The plan and the result of the quick one are recorded.
  decide: ({ root, running }) =>
    root.status === 'running' && running('slow') && root.records > 1
      ? { kind: 'abort' }
      : { kind: 'wait' },
};

/** Aborted while a call of the root is approved, one is open, and a child asks. */
export const abortSuspended: Scenario = {
  name: 'abort while suspended',
  messages: ['go'],
  agent(kit) {
    const asker = kit.agent('asker', [kit.client('pick')], { finishes: true });
    return kit.agent('aborted', [
      kit.client('choose'),
      kit.server('look', { notes: true }),
      kit.child(asker),
    ]);
  },
  model: (input) =>
    input.agentType === 'asker'
      ? calls(input, '', ['pick'])
      : calls(input, '', ['choose'], ['look'], ['subagent__asker']),
  decide: ({ root }) =>
    root.status.startsWith('suspended_') ? { kind: 'abort' } : { kind: 'wait' },
};

/** A new message instead of the answers: the half step closes, the next turn begins. */
export const supersede: Scenario = {
  name: 'supersede',
  messages: ['go', 'forget it'],
  agent(kit) {
    const asker = kit.agent('asker', [kit.client('pick')], { finishes: true });
    return kit.agent('superseded', [
      kit.client('choose'),
      kit.server('send', { requireApproval: true }),
      kit.server('look', { notes: true }),
      kit.child(asker),
    ]);
  },
  model(input) {
    if (input.agentType === 'asker') return calls(input, '', ['pick']);
    if (turnOf(input.messages) > 1) return says('forgotten');
    return calls(input, '', ['choose'], ['send'], ['look'], ['subagent__asker']);
  },
  answer: (call) => (call.kind === 'approval' ? approve : result('red')),
  decide: ({ root }) =>
    root.status.startsWith('suspended_')
      ? { kind: 'message', text: 'forget it' }
      : { kind: 'wait' },
};
