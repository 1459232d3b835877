import type { AppliedCacheResult, JsonObject, Message, SystemMessage } from '@helix-agents/core';
import { convertAssistant, convertResult, convertUser } from './convert-message.ts';
import type { SpecificationVersion } from './language-model.ts';
import type { PromptMessage } from './prompt.ts';

/**
 * Turns transcripts into prompts. A message is converted once and its converted form kept for as long as the message
 * itself lives, so a step costs what is new. Results of one batch become one message: some providers insist.
 */
export class PromptConverter {
  readonly #known = {
    /** v2 and v3 have the same prompts. */
    v3: new WeakMap<Message, Converted>(),
    v4: new WeakMap<Message, Converted>(),
  };

  convert(
    messages: readonly Message[],
    version: SpecificationVersion,
    cache: AppliedCacheResult,
  ): PromptMessage[] {
    const prompt: PromptMessage[] = [];
    let batch: PromptMessage | null = null;
    let index = 0;
    for (const message of messages) {
      const converted = withOptions(
        message.role === 'system' ? message : this.#convertOnce(message, version),
        cache.messageOptions.get(index),
      );
      index += 1;
      if (batch !== null && converted.role === 'tool') {
        batch = joinResults(batch, converted);
        prompt[prompt.length - 1] = batch;
      } else if (converted.content.length > 0) {
        batch = converted.role === 'tool' ? converted : null;
        prompt.push(converted);
      }
    }
    return prompt;
  }

  #convertOnce(message: Exclude<Message, SystemMessage>, version: SpecificationVersion): Converted {
    const known = this.#known[version === 'v4' ? 'v4' : 'v3'];
    const found = known.get(message);
    if (found) return found;
    const converted = convert(message, version);
    known.set(message, converted);
    return converted;
  }
}

type Converted = Exclude<PromptMessage, SystemMessage>;

function convert(
  message: Exclude<Message, SystemMessage>,
  version: SpecificationVersion,
): Converted {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: convertUser(message, version) };
    case 'assistant':
      return { role: 'assistant', content: convertAssistant(message, version) };
    case 'tool':
      return { role: 'tool', content: [convertResult(message)] };
  }
}

/** A result carries options itself: in the prompt it is a part among others. */
function withOptions(message: PromptMessage, options: JsonObject | undefined): PromptMessage {
  if (options === undefined) return message;
  if (message.role !== 'tool') return { ...message, providerOptions: options };
  const content = message.content.map((part) => ({
    ...part,
    providerOptions: { ...part.providerOptions, ...options },
  }));
  return { role: 'tool', content };
}

function joinResults(batch: PromptMessage, next: PromptMessage): PromptMessage {
  if (batch.role !== 'tool' || next.role !== 'tool') return batch;
  return { role: 'tool', content: [...batch.content, ...next.content] };
}
