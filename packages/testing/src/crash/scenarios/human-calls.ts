import { calls, says, stepOf, type Answer, type Scenario } from '../scenario.ts';

export const approve: Answer = { kind: 'approval-response', approved: true };
export const result = (value: string): Answer => ({ kind: 'client-tool-result', result: value });

/** Client tool, approval, server tool and sub-agent in one answer; answered in two rounds. */
export const mixed: Scenario = {
  name: 'mixed step',
  messages: ['go'],
  agent(kit) {
    const worker = kit.agent('worker', [kit.server('dig', { notes: true })], { finishes: true });
    return kit.agent('mixed', [
      kit.client('pick'),
      kit.server('send', { requireApproval: true }),
      kit.server('look', { notes: true, ms: 10 }),
      kit.child(worker),
    ]);
  },
  model(input) {
    const step = stepOf(input.messages);
    if (input.agentType === 'worker') {
      return step === 0
        ? calls(input, '', ['dig'])
        : calls(input, '', ['__finish__', { found: 'gold' }]);
    }
    return step === 0
      ? calls(input, 'all at once', ['pick'], ['send'], ['look'], ['subagent__worker'])
      : says('all four are done');
  },
  answer: (call, root) =>
    call.kind === 'approval' ? (root.turn > 1 ? approve : null) : result('red'),
};

/** Two people answer the two calls at the same time through two processes. */
export const twoWriters: Scenario = {
  name: 'two writers',
  messages: ['go'],
  twoWriters: true,
  agent: (kit) =>
    kit.agent('two', [kit.client('pick'), kit.server('send', { requireApproval: true })]),
  model: (input) =>
    stepOf(input.messages) === 0 ? calls(input, '', ['pick'], ['send']) : says('both are done'),
  answer: (call) => (call.kind === 'approval' ? approve : result('red')),
};

/** A denied approval: nothing runs, ever. */
export const denied: Scenario = {
  name: 'denied approval',
  messages: ['go'],
  agent: (kit) => kit.agent('denied', [kit.server('send', { requireApproval: true })]),
  model: (input) => (stepOf(input.messages) === 0 ? calls(input, '', ['send']) : says('then not')),
  answer: () => ({ kind: 'approval-response', approved: false, reason: 'no' }),
};

/** The tool that ends the run waits for an open call. */
export const finishWith: Scenario = {
  name: 'finishWith with an open call',
  messages: ['go'],
  agent: (kit) =>
    kit.agent('finishing', [
      kit.client('pick'),
      kit.server('report', { finishWith: true, notes: true }),
      kit.server('look', { notes: true }),
    ]),
  model: (input) => calls(input, '', ['report'], ['pick'], ['look']),
  answer: () => result('red'),
};
