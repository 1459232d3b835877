import { namedEvent, USAGE, type WireAnswer, type WireCall, type WireFormat } from './answer.ts';

const created = namedEvent({
  type: 'response.created',
  response: { id: 'resp_1', created_at: 1_800_000_000, model: 'gpt-test', service_tier: null },
});

type WireEvent = Parameters<typeof namedEvent>[0];

function content({ thinking, text = [], calls = [] }: WireAnswer): string[] {
  const blocks: ((index: number) => WireEvent[])[] = [];
  if (thinking !== undefined) blocks.push((index) => reasoning(index, thinking));
  if (text.length > 0) blocks.push((index) => message(index, text));
  for (const [number, call] of calls.entries())
    blocks.push((index) => functionCall(index, number, call));
  return [
    created,
    ...blocks.flatMap((block, index) => block(index)).map((data) => namedEvent(data)),
  ];
}

function reasoning(output_index: number, thinking: string): WireEvent[] {
  const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'ZW5jcnlwdGVk' };
  const place = { item_id: item.id, output_index, summary_index: 0 };
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, encrypted_content: null },
    },
    { type: 'response.reasoning_summary_part.added', ...place },
    { type: 'response.reasoning_summary_text.delta', ...place, delta: thinking },
    { type: 'response.reasoning_summary_part.done', ...place },
    { type: 'response.output_item.done', output_index, item },
  ];
}

function message(output_index: number, text: readonly string[]): WireEvent[] {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [] };
  return [
    { type: 'response.output_item.added', output_index, item },
    ...text.map((delta) => ({
      type: 'response.output_text.delta',
      item_id: item.id,
      output_index,
      content_index: 0,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function functionCall(
  output_index: number,
  number: number,
  { id, name, input }: WireCall,
): WireEvent[] {
  const item = { id: `fc_${number + 1}`, type: 'function_call', call_id: id, name };
  const whole = { ...item, arguments: input.join(''), status: 'completed' };
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } },
    ...input.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: item.id,
      output_index,
      delta,
    })),
    { type: 'response.output_item.done', output_index, item: whole },
  ];
}

function completed({ stop }: WireAnswer): string {
  const reason = stop === 'length' ? 'max_output_tokens' : 'content_filter';
  const response = {
    id: 'resp_1',
    incomplete_details: stop ? { reason } : null,
    service_tier: null,
    usage: {
      input_tokens: USAGE.prompt,
      input_tokens_details: { cached_tokens: USAGE.cached },
      output_tokens: USAGE.completion,
      output_tokens_details: { reasoning_tokens: USAGE.reasoning },
      total_tokens: USAGE.total,
    },
  };
  const type = stop ? 'response.incomplete' : 'response.completed';
  return namedEvent({ type, response });
}

export const openaiResponses: WireFormat = {
  answer: (answer) => ({ body: [...content(answer), completed(answer)] }),
  failure: (answer, kind) => ({
    body: [
      ...content(answer),
      namedEvent({
        type: 'error',
        sequence_number: 9,
        error: {
          type: kind === 'overloaded' ? 'overloaded_error' : 'server_error',
          code: kind === 'overloaded' ? 'overloaded' : 'server_error',
          message: 'The server had an error while processing your request.',
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
