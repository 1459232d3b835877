import type { Logger } from '@helix-agents/core';
import type { Answer } from './answer.ts';
import type { StreamPart } from './stream-part.ts';

/** Parts an answer grows by. The others end it. */
type GrowingPart = Exclude<StreamPart, { type: 'finish' | 'error' }>;

/** What each part adds to an answer. */
const TAKE: {
  readonly [T in GrowingPart['type']]: (
    answer: Answer,
    part: Extract<GrowingPart, { readonly type: T }>,
    logger: Logger,
  ) => Promise<void> | void;
} = {
  'text-start': (answer, part) => answer.begin('text', part.id, part.providerMetadata),
  'text-delta': (answer, part) => answer.append('text', part.id, part.delta, part.providerMetadata),
  'text-end': (answer, part) => answer.end('text', part.id, part.providerMetadata),
  'reasoning-start': (answer, part) => answer.begin('reasoning', part.id, part.providerMetadata),
  'reasoning-delta': (answer, part) =>
    answer.append('reasoning', part.id, part.delta, part.providerMetadata),
  'reasoning-end': (answer, part) => answer.end('reasoning', part.id, part.providerMetadata),
  'tool-input-start': (answer, part) => {
    if (!part.providerExecuted)
      return answer.beginCall(part.id, part.toolName, part.providerMetadata);
  },
  'tool-input-delta': (answer, part) => answer.appendCall(part.id, part.delta),
  'tool-call': (answer, part) =>
    part.providerExecuted ? answer.keep(part) : answer.completeCall(part),
  'tool-result': (answer, part) => {
    if (!part.preliminary) answer.keep(part);
  },
  custom: (answer, part) => {
    // A note that the answer has begun is not a part of it.
    if (!part.kind.endsWith('.message_start')) answer.keep(part);
  },
  'stream-start': (_answer, part, logger) => {
    for (const warning of part.warnings ?? []) logger.warn('model.warning', { warning });
  },
};

export function takePart(answer: Answer, part: GrowingPart, logger: Logger): Promise<void> | void {
  if (!Object.hasOwn(TAKE, part.type)) return;
  const take = TAKE[part.type] as (
    answer: Answer,
    part: GrowingPart,
    logger: Logger,
  ) => Promise<void> | void;
  return take(answer, part, logger);
}
