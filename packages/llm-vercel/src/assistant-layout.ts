import { toJsonValue, type AssistantMessage, type JsonObject } from '@helix-agents/core';
import type { ProviderOptions } from './language-model.ts';

/**
 * How an answer was laid out: the order of its parts and the metadata each of them must carry when it is shown to the
 * provider again. Texts are spans of the message's `content` and `thinking`, calls are found by position, so nothing is
 * stored twice.
 */
export type LayoutPart =
  | { readonly type: 'text' | 'reasoning'; readonly span: Span; readonly metadata?: JsonObject }
  | { readonly type: 'call'; readonly id: string; readonly metadata?: JsonObject }
  /** A part only its provider understands, such as a tool it ran itself. */
  | { readonly type: 'verbatim'; readonly part: JsonObject };

type Span = readonly [start: number, end: number];

/** Where the layout is kept in a message's `providerMetadata`. */
const KEY = 'aiSdk';

/** Undefined where the message alone says as much. */
export function packLayout(parts: readonly LayoutPart[]): JsonObject | undefined {
  return isPlain(parts) ? undefined : { [KEY]: { parts: [...parts] } };
}

/** The layout of a message, or null where it has none that fits it. */
export function unpackLayout(message: AssistantMessage): readonly LayoutPart[] | null {
  const kept = message.providerMetadata?.[KEY] as { readonly parts?: unknown } | undefined;
  if (!kept || !Array.isArray(kept.parts)) return null;
  const parts = kept.parts as readonly LayoutPart[];
  const calls = parts.filter((part) => part.type === 'call').length;
  const fits =
    calls === (message.toolCalls?.length ?? 0) &&
    lastEnd(parts, 'text') === message.content.length &&
    lastEnd(parts, 'reasoning') === (message.thinking?.length ?? 0);
  return fits ? parts : null;
}

/** Metadata as data that can be stored; undefined where there is none. */
export function keepMetadata(metadata: ProviderOptions | undefined): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const kept = toJsonValue(metadata);
  return kept.ok ? (kept.value as JsonObject) : undefined;
}

const RANK = { reasoning: 0, text: 1, call: 2, verbatim: 3 } as const;

/** No metadata, and the order every message is shown in anyway: thinking, text, calls. */
function isPlain(parts: readonly LayoutPart[]): boolean {
  return parts.every((part, index) => {
    if (part.type === 'verbatim' || part.metadata !== undefined) return false;
    const before = parts[index - 1];
    if (!before) return true;
    const step = RANK[part.type] - RANK[before.type];
    return step > 0 || (step === 0 && part.type === 'call');
  });
}

function lastEnd(parts: readonly LayoutPart[], type: 'text' | 'reasoning'): number {
  let end = 0;
  for (const part of parts) {
    if (part.type === type && Array.isArray(part.span)) end = part.span[1];
  }
  return end;
}
