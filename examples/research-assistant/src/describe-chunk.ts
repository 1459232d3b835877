import {
  FINISH_TOOL_NAME,
  type ChunkOf,
  type JsonValue,
  type StreamChunk,
} from '@helix-agents/sdk';

/** One line about something that happened. */
export interface Line {
  readonly mark: string;
  readonly style: 'cyan' | 'green' | 'red' | 'gray' | 'magenta' | 'yellow';
  readonly text: string;
  readonly detail?: string;
}

/** What a chunk says, as lines. `labels` remembers what calls are about, by their id. */
export function describeChunk(chunk: StreamChunk, labels: Map<string, string>): Line[] {
  if (chunk.type === 'tool_start') return describeStart(chunk, labels);
  if (chunk.type === 'tool_end') return describeEnd(chunk, labels);
  if (chunk.type === 'tool_error') {
    return [{ mark: '✗', style: 'red', text: chunk.toolName, detail: chunk.error }];
  }
  if (chunk.type === 'custom') return [{ mark: '·', style: 'gray', text: describeCustom(chunk) }];
  if (chunk.type === 'subagent_start') {
    return [{ mark: '○', style: 'cyan', text: `sub-agent ${chunk.subAgentType}` }];
  }
  if (chunk.type === 'subagent_end') {
    const detail = brief(chunk.success ? chunk.result : chunk.error);
    return [{ ...markOf(chunk.success), text: `sub-agent ${chunk.subAgentType}`, detail }];
  }
  if (chunk.type === 'state_patch') {
    return chunk.patches.map((patch) => {
      const value = patch.op === 'remove' ? 'removed' : brief(patch.value);
      return { mark: '◆', style: 'magenta', text: `state${patch.path} = ${value}` };
    });
  }
  if (chunk.type === 'step_discarded') {
    return [{ mark: '·', style: 'yellow', text: 'an unfinished answer was withdrawn' }];
  }
  return [];
}

function describeCustom(chunk: ChunkOf<'custom'>): string {
  const reading = readPage(chunk);
  return reading ? `${reading.id}: page ${reading.page} of ${reading.pages}` : brief(chunk.data);
}

/** Which page of a document was just read, where the chunk tells that. */
export function readPage(chunk: StreamChunk): { id: string; page: number; pages: number } | null {
  return chunk.type === 'custom' && chunk.name === 'page'
    ? (chunk.data as { id: string; page: number; pages: number })
    : null;
}

function describeStart(chunk: ChunkOf<'tool_start'>, labels: Map<string, string>): Line[] {
  if (chunk.toolName === FINISH_TOOL_NAME) return [];
  const label = `${chunk.toolName}(${brief(firstValue(chunk.arguments))})`;
  labels.set(chunk.toolCallId, label);
  return [{ mark: '○', style: 'cyan', text: label }];
}

function describeEnd(chunk: ChunkOf<'tool_end'>, labels: Map<string, string>): Line[] {
  const text = labels.get(chunk.toolCallId);
  if (text === undefined) return [];
  return [
    { ...markOf(chunk.success), text, detail: brief(chunk.success ? chunk.result : chunk.error) },
  ];
}

function markOf(success: boolean): Pick<Line, 'mark' | 'style'> {
  return success ? { mark: '●', style: 'green' } : { mark: '✗', style: 'red' };
}

function firstValue(value: JsonValue): JsonValue | undefined {
  return typeof value === 'object' && value !== null ? Object.values(value)[0] : value;
}

/** A value in a few words. */
function brief(value: JsonValue | undefined): string {
  const text = words(value ?? null);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function words(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => words(item)).join(', ');
  const { id, ...rest } = value as { [name: string]: JsonValue };
  const others = Object.entries(rest).map(([name, item]) => `${name} ${words(item)}`);
  return others.length === 0 || id === undefined ? [...others].join(', ') : words(id);
}
