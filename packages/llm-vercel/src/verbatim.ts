import { parseArguments } from './call-collector.ts';
import type { CustomPart, ToolCallPart, ToolResultPart } from './stream-part.ts';

/** Parts that concern the provider alone: tools it ran itself, and contents of its own kind. */
export type OwnPart = ToolCallPart | ToolResultPart | CustomPart;

/** Such a part as the next prompt shows it. */
export function toVerbatim(part: OwnPart): { readonly [key: string]: unknown } {
  const providerOptions = part.providerMetadata && { providerOptions: part.providerMetadata };
  if (part.type === 'custom') return { type: 'custom', kind: part.kind, ...providerOptions };
  const { type, toolCallId, toolName } = part;
  const base = { type, toolCallId, toolName, ...providerOptions };
  if (type === 'tool-call') {
    return { ...base, input: parseArguments(part.input).value, providerExecuted: true };
  }
  return { ...base, output: { type: part.isError ? 'error-json' : 'json', value: part.result } };
}
