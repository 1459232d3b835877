/** What the real providers refuse, so that a prompt that passes here would pass there. */
export function assertStrictBody(api: 'chat' | 'responses' | 'anthropic', body: string): void {
  const request = JSON.parse(body) as Record<string, unknown>;
  const fault =
    api === 'anthropic'
      ? anthropicFault(request['messages'] as AnthropicMessage[])
      : openaiFault((request['messages'] ?? request['input']) as OpenAIItem[]);
  if (fault) throw new Error(`${fault}: ${body}`);
}

interface AnthropicMessage {
  readonly role: string;
  readonly content: readonly Record<string, unknown>[];
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function anthropicFault(messages: readonly AnthropicMessage[]): string | null {
  const seen = new Set<unknown>();
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `message ${index} is of ${role}`;
    if (content.length === 0) return `message ${index} is empty`;
    if (content.some((part) => part['type'] === 'text' && part['text'] === '')) {
      return 'an empty text';
    }
    const uses = content.filter((part) => part['type'] === 'tool_use');
    for (const use of uses) {
      const fault = useFault(use, seen);
      if (fault) return fault;
    }
    const next = messages[index + 1]?.content ?? [];
    const results = next.filter((part) => part['type'] === 'tool_result');
    const answered = results.map((part) => part['tool_use_id']);
    if (JSON.stringify(uses.map(({ id }) => id)) !== JSON.stringify(answered)) {
      return `results ${answered.join()} of message ${index}`;
    }
  }
  return null;
}

function useFault(use: Record<string, unknown>, seen: Set<unknown>): string | null {
  const { input } = use;
  const id = String(use['id']);
  const name = String(use['name']);
  if (!NAME.test(id) || !NAME.test(name)) return `call ${id} of ${name}`;
  if (seen.has(id)) return `call ${id} twice`;
  seen.add(id);
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? null : `call ${id} with ${JSON.stringify(input)}`;
}

interface OpenAIItem {
  readonly role?: string;
  readonly type?: string;
  readonly call_id?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** Chat: results right after their message. Responses: one output per call. */
function openaiFault(items: readonly OpenAIItem[]): string | null {
  const open: string[] = [];
  const outputs = items.flatMap(({ type, call_id = '' }) =>
    type === 'function_call_output' ? [call_id] : [],
  );
  if (new Set(outputs).size < outputs.length) return `outputs of ${outputs.join()}`;
  for (const { role, tool_call_id, tool_calls = [] } of items) {
    if (role === 'tool') {
      if (open.shift() !== tool_call_id) return `result of ${tool_call_id}`;
    } else if (role !== undefined && open.length > 0) {
      return `no result of ${open[0]}`;
    }
    for (const { id, function: called } of tool_calls) {
      if (!NAME.test(called.name) || id === '' || open.includes(id)) return `call ${id}`;
      JSON.parse(called.arguments);
      open.push(id);
    }
  }
  return open.length > 0 ? `no result of ${open[0]}` : null;
}
