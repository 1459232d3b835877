import type {
  AssistantMessage,
  JsonObject,
  JsonValue,
  ToolMessage,
  UserMessage,
} from '@helix-agents/core';
import { unpackLayout, type LayoutPart } from './assistant-layout.ts';
import { convertFile } from './convert-file.ts';
import type { SpecificationVersion } from './language-model.ts';
import type { PromptPart } from './prompt.ts';

export function convertUser(message: UserMessage, version: SpecificationVersion): PromptPart[] {
  const files = message.files ?? [];
  const parts: PromptPart[] = [];
  if (message.content !== '' || files.length === 0) {
    parts.push({ type: 'text', text: message.content });
  }
  for (const file of files) parts.push(convertFile(file, version));
  return parts;
}

/** Empty where nothing of the message may be shown again: providers refuse thoughts that nothing follows. */
export function convertAssistant(
  message: AssistantMessage,
  version: SpecificationVersion,
): PromptPart[] {
  const layout = unpackLayout(message);
  const parts = layout ? byLayout(message, layout, version) : byDefault(message);
  return parts.every((part) => part.type === 'reasoning') ? [] : parts;
}

export function convertResult(message: ToolMessage): PromptPart {
  return {
    type: 'tool-result',
    toolCallId: shownCallId(message.toolCallId),
    toolName: shownToolName(message.toolName),
    output: resultOutput(message),
  };
}

function byDefault({ thinking, content, toolCalls = [] }: AssistantMessage): PromptPart[] {
  return [
    ...(thinking ? [{ type: 'reasoning', text: thinking }] : []),
    ...(content === '' ? [] : [{ type: 'text', text: content }]),
    ...toolCalls.map((call) => convertCall(call)),
  ];
}

function byLayout(
  message: AssistantMessage,
  layout: readonly LayoutPart[],
  version: SpecificationVersion,
): PromptPart[] {
  const { content, thinking = '', toolCalls = [] } = message;
  let position = 0;
  return layout.flatMap((part): PromptPart[] => {
    if (part.type === 'verbatim') {
      const known = version === 'v4' || part.part['type'] !== 'custom';
      return known ? [part.part as unknown as PromptPart] : [];
    }
    if (part.type === 'call') {
      const call = toolCalls[position];
      position += 1;
      // Metadata names the call by the id its provider gave; under another id it would contradict the result.
      return call ? [convertCall(call, call.id === part.id ? part.metadata : undefined)] : [];
    }
    const text = (part.type === 'text' ? content : thinking).slice(...part.span);
    return [{ type: part.type, text, ...withOptions(part.metadata) }];
  });
}

function convertCall(
  call: { readonly id: string; readonly name: string; readonly arguments: JsonValue },
  metadata?: JsonObject,
): PromptPart {
  return {
    type: 'tool-call',
    toolCallId: shownCallId(call.id),
    toolName: shownToolName(call.name),
    input: asObject(call.arguments),
    ...withOptions(metadata),
  };
}

/** Providers take only objects as input. What was none came back as an error result, which says so. */
function asObject(input: JsonValue): JsonValue {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

function resultOutput(message: ToolMessage): object {
  if (!message.success) return { type: 'error-text', value: message.content };
  if (message.format === 'text') return { type: 'text', value: message.content };
  try {
    return { type: 'json', value: JSON.parse(message.content) as JsonValue };
  } catch {
    return { type: 'text', value: message.content };
  }
}

/** Ids the engine made carry `~` and `.`, which some providers refuse. Ids of providers stay as they came. */
function shownCallId(id: string): string {
  return id.replace(/~(?:[0-9a-f]{8}\.)?\d+\.\d+$/, (suffix) => suffix.replace(/[~.]/g, '_'));
}

/** A model can call a tool that cannot exist; the next prompt still has to name it, and no provider to stumble. */
function shownToolName(name: string): string {
  const allowed = name.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 128) || '_';
  // Some providers look names up in plain objects, where `constructor` is something else.
  return allowed in Object.prototype ? `${allowed}_` : allowed;
}

function withOptions(metadata: JsonObject | undefined): { providerOptions?: JsonObject } {
  return metadata ? { providerOptions: metadata } : {};
}
