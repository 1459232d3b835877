import { calls, says, stepOf, type Scenario } from '../scenario.ts';
import { approve, result } from './human-calls.ts';

/** A child asks a person and so does its own child. */
export const nested: Scenario = {
  name: 'child and grandchild ask',
  messages: ['go'],
  agent(kit) {
    const lower = kit.agent('lower', [kit.server('sign', { requireApproval: true })], {
      finishes: true,
    });
    const upper = kit.agent('upper', [kit.client('pick'), kit.child(lower)], { finishes: true });
    return kit.agent('nested', [kit.child(upper), kit.server('look', { notes: true })]);
  },
  model(input) {
    const step = stepOf(input.messages);
    const finish = (): ReturnType<typeof calls> =>
      calls(input, '', ['__finish__', { by: input.agentType }]);
    if (input.agentType === 'lower') return step === 0 ? calls(input, '', ['sign']) : finish();
    if (input.agentType === 'upper') {
      return step === 0 ? calls(input, '', ['pick'], ['subagent__lower']) : finish();
    }
    return step === 0 ? calls(input, '', ['subagent__upper'], ['look']) : says('both have asked');
  },
  answer: (call, root) =>
    call.kind === 'approval' ? approve : root.turn > 1 ? result('red') : null,
};

/** A child suspends, goes on, and suspends again. */
export const asksTwice: Scenario = {
  name: 'child asks twice',
  messages: ['go'],
  agent(kit) {
    const asker = kit.agent('asker', [kit.client('pick'), kit.server('dig')], { finishes: true });
    return kit.agent('twice', [kit.child(asker)]);
  },
  model(input) {
    const step = stepOf(input.messages);
    if (input.agentType !== 'asker') {
      return step === 0 ? calls(input, '', ['subagent__asker']) : says('it asked twice');
    }
    if (step === 0) return calls(input, '', ['pick'], ['dig']);
    return step === 1
      ? calls(input, '', ['pick'])
      : calls(input, '', ['__finish__', { ok: 'yes' }]);
  },
  answer: (_call, root) => result(`answer ${root.turn}`),
};

/** Two children at once, one asks while the other works. */
export const siblings: Scenario = {
  name: 'one child asks while another works',
  messages: ['go'],
  agent(kit) {
    const asker = kit.agent('asker', [kit.client('pick')], { finishes: true });
    const worker = kit.agent('worker', [kit.server('dig', { ms: 1_500 })], { finishes: true });
    return kit.agent('siblings', [kit.child(asker), kit.child(worker)]);
  },
  model(input) {
    const step = stepOf(input.messages);
    if (input.agentType === 'siblings') {
      return step === 0
        ? calls(input, '', ['subagent__asker'], ['subagent__worker'])
        : says('both are back');
    }
    if (step > 0) return calls(input, '', ['__finish__', { by: input.agentType }]);
    return calls(input, '', input.agentType === 'asker' ? ['pick'] : ['dig']);
  },
  answer: () => result('red'),
};
