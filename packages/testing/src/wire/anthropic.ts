import { namedEvent, SIGNATURE, USAGE, type WireAnswer, type WireFormat } from './answer.ts';

const open = (index: number, content_block: object): string =>
  namedEvent({ type: 'content_block_start', index, content_block });
const piece = (index: number, delta: object): string =>
  namedEvent({ type: 'content_block_delta', index, delta });
const shut = (index: number): string => namedEvent({ type: 'content_block_stop', index });

const start = namedEvent({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: USAGE.prompt - USAGE.cached,
      cache_read_input_tokens: USAGE.cached,
      cache_creation_input_tokens: 0,
      output_tokens: 1,
    },
  },
});

function content({ thinking, text = [], calls = [] }: WireAnswer): string[] {
  const blocks: ((index: number) => string[])[] = [];
  if (thinking !== undefined) {
    blocks.push((index) => [
      open(index, { type: 'thinking', thinking: '', signature: '' }),
      piece(index, { type: 'thinking_delta', thinking }),
      piece(index, { type: 'signature_delta', signature: SIGNATURE }),
      shut(index),
    ]);
  }
  if (text.length > 0) {
    blocks.push((index) => [
      open(index, { type: 'text', text: '' }),
      ...text.map((part) => piece(index, { type: 'text_delta', text: part })),
      shut(index),
    ]);
  }
  for (const { id, name, input } of calls) {
    blocks.push((index) => [
      open(index, { type: 'tool_use', id, name, input: {} }),
      ...input.map((part) => piece(index, { type: 'input_json_delta', partial_json: part })),
      shut(index),
    ]);
  }
  return [start, ...blocks.flatMap((block, index) => block(index))];
}

function reasonOf(answer: WireAnswer): string {
  if (answer.stop) return answer.stop === 'length' ? 'max_tokens' : 'refusal';
  return answer.calls?.length ? 'tool_use' : 'end_turn';
}

export const anthropicMessages: WireFormat = {
  answer: (answer) => ({
    body: [
      ...content(answer),
      namedEvent({
        type: 'message_delta',
        delta: { stop_reason: reasonOf(answer), stop_sequence: null },
        usage: { output_tokens: USAGE.completion },
      }),
      namedEvent({ type: 'message_stop' }),
    ],
  }),
  failure: (answer, kind) => ({
    body: [
      ...content(answer),
      namedEvent({
        type: 'error',
        error:
          kind === 'overloaded'
            ? { type: 'overloaded_error', message: 'Overloaded' }
            : { type: 'api_error', message: 'Internal server error' },
      }),
    ],
  }),
  error: (status, message, headers = {}) => ({
    status,
    headers,
    body: [JSON.stringify({ type: 'error', error: { type: 'error', message } })],
  }),
};
