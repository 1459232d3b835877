import { codedError } from '../errors/coded-error.ts';
import { toolMessageFrom } from './builders.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from './message.ts';

/**
 * The transcript of one model call: the system prompt first, calls under the ids their provider gave
 * them, no assistant message without content. A message comes back as the same object every time, so
 * that an adapter can keep what it made of it.
 */
export function buildMessagesForLLM(
  systemPrompt: string,
  messages: readonly Message[],
): readonly Message[] {
  const transcript = new PromptTranscript();
  for (const message of messages) transcript.append(message);
  return transcript.withSystem(systemPrompt);
}

const NO_PROMPT: Message = { role: 'system', content: '' };

/**
 * The same for a transcript that grows: what was shown before is not looked at again. Whatever the transcript is like, because it was imported
 * or cut, a provider takes what comes out:
 *
 * I1. each call has one result, right after its message and in call order: one that is missing is made up, one that is left over is left out;
 * I2. a call without an id or a name, or with the id of another one of its message, is left out;
 * I3. system messages come first, and before the first assistant message there is one of the user.
 */
export class PromptTranscript {
  readonly #ids = new ShownIds();
  /** The first is the place of the system prompt: one copy of the whole is all that a model call costs. */
  readonly #shown: Message[] = [NO_PROMPT];
  #systemMessages = 1;
  /** The calls of the last message, while results are missing. */
  #open: OpenStep | null = null;

  /** Nothing but system messages. */
  get isEmpty(): boolean {
    return this.#shown.length === this.#systemMessages;
  }

  append(message: Message): void {
    if (message.role === 'tool') {
      this.#take(message);
      return;
    }
    this.#closeStep();
    if (message.role === 'system') {
      this.#shown.splice(this.#systemMessages, 0, message);
      this.#systemMessages += 1;
    } else if (message.role === 'user') this.#shown.push(message);
    else this.#appendAnswer(message.stopped ? asStopped(message) : withSoundCalls(message));
  }

  withSystem(systemPrompt: string): readonly Message[] {
    const messages = this.#shown.slice();
    if (this.#open) messages.push(...this.#resultsOf(this.#open));
    if (systemPrompt) messages[0] = { role: 'system', content: systemPrompt };
    else messages.shift();
    return messages;
  }

  #appendAnswer(message: AssistantMessage): void {
    if (isEmpty(message)) return;
    if (this.isEmpty) this.#shown.push(NO_USER_YET);
    this.#shown.push(asProviderGaveIt(message, this.#ids));
    const calls = message.toolCalls ?? [];
    if (calls.length > 0) this.#open = { calls, results: new Map() };
  }

  #take(result: ToolMessage): void {
    const open = this.#open;
    if (!open?.calls.some(({ id }) => id === result.toolCallId)) return;
    if (open.results.has(result.toolCallId)) return;
    open.results.set(result.toolCallId, result);
    if (open.results.size === open.calls.length) this.#closeStep();
  }

  #closeStep(): void {
    if (!this.#open) return;
    this.#shown.push(...this.#resultsOf(this.#open));
    this.#open = null;
  }

  #resultsOf({ calls, results }: OpenStep): ToolMessage[] {
    return calls.map((call) => {
      const given = results.get(call.id);
      const fits = given && given.toolName === call.name;
      const result = fits ? given : given ? { ...given, toolName: call.name } : missingResult(call);
      return showResult(result, this.#ids.get(call.id));
    });
  }
}

interface OpenStep {
  readonly calls: readonly ToolCall[];
  readonly results: Map<string, ToolMessage>;
}

const NO_USER_YET: UserMessage = {
  role: 'user',
  content: '(The conversation begins with the assistant.)',
};

const MISSING = codedError(
  'tool_outcome_unknown',
  'The transcript has no result of this call: it may or may not have taken effect. Check before repeating it.',
);

const missing = new WeakMap<ToolCall, ToolMessage>();

/** The same object every time. */
function missingResult(call: ToolCall): ToolMessage {
  const known = missing.get(call);
  if (known) return known;
  const made = toolMessageFrom(call, { success: false, error: MISSING });
  missing.set(call, made);
  return made;
}

function withSoundCalls(message: AssistantMessage): AssistantMessage {
  const calls = message.toolCalls ?? [];
  const ids = new Set<string>();
  const sound = calls.filter(({ id, name }) => {
    if (id === '' || name === '' || ids.has(id)) return false;
    ids.add(id);
    return true;
  });
  return sound.length === calls.length ? message : { ...message, toolCalls: sound };
}

/** Messages that are shown otherwise than they are stored. */
const shown = new WeakMap<Message, Message>();

/** Under which id each call is shown: its provider's own, also where the provider uses it again in a later answer. */
class ShownIds {
  readonly #shown = new Map<string, string>();

  get(id: string): string {
    return this.#shown.get(id) ?? id;
  }

  /** The provider's ids where it gave each call of the answer one of its own, ours otherwise. */
  choose(calls: readonly ToolCall[]): readonly string[] {
    const given = calls.map((call) => call.providerId ?? call.id);
    const own = given.every((id) => id !== '') && new Set(given).size === given.length;
    const ids = own ? given : calls.map((call) => call.id);
    for (const [index, call] of calls.entries()) {
      const id = ids[index] ?? call.id;
      this.#shown.set(call.id, id);
    }
    return ids;
  }

  /** These are shown as they are stored. */
  keep(calls: readonly ToolCall[]): void {
    for (const call of calls) this.#shown.delete(call.id);
  }
}

/** What a person said when they approved a call comes before what became of it. */
function contentForModel(message: ToolMessage): string {
  const { approvalReason } = message;
  const content = contentWithInput(message);
  return approvalReason === undefined
    ? content
    : `The user approved this with the words: ${approvalReason}\n${content}`;
}

/** The model proposed one input and a person made another of it: the result only makes sense with both. */
function contentWithInput(message: ToolMessage): string {
  const { content, errorDetail, executedInput, editedInput } = message;
  if (editedInput !== undefined)
    return `The user edited the input to ${JSON.stringify(editedInput)} before approving. It was not run.\n${content}`;
  if (executedInput === undefined) return content;
  const ran = errorDetail?.code === 'tool_outcome_unknown' ? 'may have run' : 'ran';
  return `The user edited the input before approving. It ${ran} with ${JSON.stringify(executedInput)}.\n${content}`;
}

function isEmpty(message: AssistantMessage): boolean {
  return message.content === '' && !message.toolCalls?.length && !message.providerMetadata;
}

/** Without its reasoning, which is not whole: a provider takes only what it has signed. Nor does it take blank text. */
function asStopped(message: AssistantMessage): AssistantMessage {
  const known = shown.get(message);
  if (known?.role === 'assistant') return known;
  const { role, id } = message;
  const content = message.content.trim() === '' ? '' : message.content;
  const made: AssistantMessage = { role, ...(id !== undefined && { id }), content };
  shown.set(message, made);
  return made;
}

function isShownAsStored({ providerId, parsedArguments }: ToolCall): boolean {
  return providerId === undefined && parsedArguments === undefined;
}

function asProviderGaveIt(message: AssistantMessage, ids: ShownIds): AssistantMessage {
  const calls = message.toolCalls ?? [];
  if (calls.every(isShownAsStored)) {
    ids.keep(calls);
    return message;
  }
  const chosen = ids.choose(calls);
  const known = shown.get(message);
  if (known?.role === 'assistant' && known.toolCalls?.every((call, i) => call.id === chosen[i])) {
    return known;
  }
  const toolCalls = calls.map(({ providerId: _given, parsedArguments: _read, ...call }, index) => ({
    ...call,
    id: chosen[index] ?? call.id,
  }));
  const made: AssistantMessage = { ...message, toolCalls };
  shown.set(message, made);
  return made;
}

function showResult(message: ToolMessage, toolCallId: string): ToolMessage {
  const content = contentForModel(message);
  const { answeredBy, answeredAt: _at, ...told } = message;
  const isTold = answeredBy === undefined && content === message.content;
  if (isTold && toolCallId === message.toolCallId) return message;
  const known = shown.get(message);
  if (known?.role === 'tool' && known.toolCallId === toolCallId) return known;
  const made: ToolMessage = { ...told, toolCallId, content };
  shown.set(message, made);
  return made;
}
