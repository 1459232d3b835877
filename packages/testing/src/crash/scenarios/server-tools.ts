import { calls, says, stepOf, turnOf, type Scenario } from '../scenario.ts';

/** Two steps with tools and an answer: the plainest run there is. */
export const plain: Scenario = {
  name: 'plain',
  messages: ['go'],
  agent: (kit) =>
    kit.agent('plain', [
      kit.server('first', { notes: true }),
      kit.server('second', { notes: true }),
    ]),
  model(input) {
    const step = stepOf(input.messages);
    if (step === 0) return calls(input, 'let me see', ['first']);
    if (step === 1) return calls(input, '', ['second']);
    return says('all is done');
  },
};

/** The same without a journal: a crash repeats the step. */
export const stepDurability: Scenario = {
  ...plain,
  name: 'durability step',
  agent: (kit) =>
    kit.agent(
      'plain',
      [kit.server('first', { notes: true }), kit.server('second', { notes: true })],
      { durability: 'step' },
    ),
};

/** Three tools at once, the middle one slow. */
export const parallel: Scenario = {
  name: 'parallel tools',
  messages: ['go'],
  agent: (kit) =>
    kit.agent('parallel', [
      kit.server('quick', { notes: true }),
      kit.server('slow', { notes: true, ms: 1_500 }),
      kit.server('other', { notes: true, ms: 10 }),
    ]),
  model: (input) =>
    stepOf(input.messages) === 0
      ? calls(input, '', ['quick'], ['slow'], ['other'])
      : says('all three are done'),
};

/** A tool that must not be started twice, next to one that may. */
export const onceTool: Scenario = {
  name: 'once tool',
  messages: ['go'],
  agent: (kit) =>
    kit.agent('once', [
      kit.server('pay', { execution: 'once', ms: 20 }),
      kit.server('look', { notes: true, ms: 10 }),
    ]),
  model: (input) =>
    stepOf(input.messages) === 0 ? calls(input, '', ['pay'], ['look']) : says('paid'),
};

/** Three turns on one session; the model repeats its call ids. */
export const turns: Scenario = {
  name: 'multi-turn',
  messages: ['one', 'two', 'three'],
  agent: (kit) => kit.agent('turns', [kit.server('first', { notes: true })]),
  model(input) {
    if (stepOf(input.messages) > 0) return says(`turn ${turnOf(input.messages)} is done`);
    return {
      type: 'tool_calls',
      content: '',
      toolCalls: [{ id: 'call_0', name: 'first', arguments: {} }],
    };
  },
};
