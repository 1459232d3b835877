import { event, USAGE, type WireAnswer, type WireFormat } from './answer.ts';

const chunk = (delta: object, reason: string | null = null): string =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_800_000_000,
    model: 'gpt-test',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

const usage = event({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_800_000_000,
  model: 'gpt-test',
  choices: [],
  usage: {
    prompt_tokens: USAGE.prompt,
    completion_tokens: USAGE.completion,
    total_tokens: USAGE.total,
    prompt_tokens_details: { cached_tokens: USAGE.cached },
    completion_tokens_details: { reasoning_tokens: USAGE.reasoning },
  },
});

function content({ text = [], calls = [] }: WireAnswer): string[] {
  return [
    chunk({ role: 'assistant', content: calls.length > 0 && text.length === 0 ? null : '' }),
    ...text.map((piece) => chunk({ content: piece })),
    ...calls.flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...input.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

function reasonOf(answer: WireAnswer): string {
  if (answer.stop) return answer.stop === 'length' ? 'length' : 'content_filter';
  return answer.calls?.length ? 'tool_calls' : 'stop';
}

export const openaiChat: WireFormat = {
  answer: (answer) => ({
    body: [...content(answer), chunk({}, reasonOf(answer)), usage, 'data: [DONE]\n\n'],
  }),
  failure: (answer, kind) => ({
    body: [
      ...content(answer),
      event({
        error: {
          message: 'The server had an error while processing your request.',
          type: kind === 'overloaded' ? 'overloaded_error' : 'server_error',
          code: null,
          param: null,
        },
      }),
    ],
  }),
  error: (status, message, headers = {}) => ({
    status,
    headers,
    body: [JSON.stringify({ error: { message, type: 'error', param: null, code: null } })],
  }),
};
