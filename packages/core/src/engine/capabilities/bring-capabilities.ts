/**
 * What the capabilities of an agent bring to one step, before the model is asked. Values from functions are taken from the
 * session's pins; a value that is not pinned yet is resolved, and the record of the plan pins it. A failure writes nothing.
 */
import type { Capability, CapabilitySession } from '../../capability/types.ts';
import { capabilitiesOf } from '../../define/agent-capabilities.ts';
import { toolsOf, toolsOfSession, type AgentTools } from '../../define/effective-tools.ts';
import type { AgentConfig, Tool } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import type { LLMTool } from '../../llm/adapter.ts';
import type { UserMessage } from '../../messages/message.ts';
import type { CapabilityPin } from '../../store/rows.ts';
import { utf8Length } from '../../util/to-json-value.ts';
import type { EngineContext } from '../context.ts';
import type { SessionTranscript } from '../memory/transcript-cache.ts';
import { NO_PINS, readPins, type Pins } from '../rows/pins.ts';
import type { StepScope } from '../rows/step-view.ts';
import { askCapability } from './ask-capability.ts';
import { toNotes } from './notes.ts';
import { capabilitySessionOf } from './session-facts.ts';
import { askForTools, shownTools, toolsBehind } from './session-tools.ts';

const MAX_PROMPT_BYTES = 1_000_000;

export interface Brought {
  readonly tools: AgentTools;
  /** Pieces of the system prompt, in the order of the capabilities. */
  readonly prompts: readonly string[];
  readonly notes: readonly UserMessage[];
  /** What the plan of this step pins, in addition to the existing pins. */
  readonly toPin: readonly CapabilityPin[];
  readonly pins: Pins;
}

/** What the step is made with. */
export interface StepInput {
  readonly transcript: SessionTranscript;
  readonly state: JsonValue;
  readonly signal: AbortSignal;
}

/** Of an agent without capabilities. */
const NOTHING: Omit<Brought, 'tools'> = { prompts: [], notes: [], toPin: [], pins: NO_PINS };

/** Throws the error that the step fails with. Does nothing for an agent without capabilities. */
export async function bringCapabilities(
  step: StepScope,
  agent: AgentConfig,
  { transcript, state, signal }: StepInput,
): Promise<Brought> {
  const capabilities = capabilitiesOf(agent);
  if (capabilities.length === 0) return { tools: toolsOf(agent), ...NOTHING };
  const { ctx } = step;
  const session = capabilitySessionOf(step, () => state, signal);
  const pins = capabilities.some(comesFromOutside) ? await pinsOf(step, transcript) : NO_PINS;
  const parts = await Promise.all(
    capabilities.map((capability) =>
      bring(ctx, capability, session, pins.byCapability.get(capability.name)),
    ),
  );
  const added = await Promise.all(
    capabilities.map((capability) => notesOf(ctx, capability, session)),
  );
  return {
    tools: allTools(agent, parts),
    prompts: parts.flatMap(({ prompt }) => (prompt === '' ? [] : [prompt])),
    notes: added.flat(),
    toPin: parts.flatMap(({ toPin }) => (toPin ? [toPin] : [])),
    pins,
  };
}

function comesFromOutside({ tools, prompt }: Capability): boolean {
  return typeof tools === 'function' || typeof prompt === 'function';
}

/** Nothing is pinned before the first step. Pins never change, so an owner reads them once. */
async function pinsOf({ view }: StepScope, transcript: SessionTranscript): Promise<Pins> {
  const { session, store } = view;
  if (session.stepId === 1) return NO_PINS;
  transcript.pins ??= await readPins(store, session);
  return transcript.pins;
}

/** What one capability brings. */
interface Part {
  readonly name: string;
  readonly prompt: string;
  /** Null where they are part of the definition. */
  readonly tools: { readonly shown: readonly LLMTool[]; readonly behind: readonly Tool[] } | null;
  readonly toPin: CapabilityPin | null;
}

async function bring(
  ctx: EngineContext,
  capability: Capability,
  session: CapabilitySession,
  pin: CapabilityPin | undefined,
): Promise<Part> {
  const { name } = capability;
  const [prompt, current] = await Promise.all([
    pin?.prompt ?? promptOf(ctx, capability, session),
    askForTools(ctx, capability, session),
  ]);
  const shown = current && (pin?.tools ?? shownTools(current));
  const tools = shown && { shown, behind: toolsBehind(shown, current) };
  const fresh = {
    ...(typeof capability.prompt === 'function' && pin?.prompt === undefined && { prompt }),
    ...(shown && pin?.tools === undefined && { tools: shown }),
  };
  const isPinned = Object.keys(fresh).length === 0;
  return { name, prompt, tools, toPin: isPinned ? null : { capability: name, ...fresh } };
}

async function promptOf(
  ctx: EngineContext,
  capability: Capability,
  session: CapabilitySession,
): Promise<string> {
  const { prompt = '' } = capability;
  if (typeof prompt === 'string') return prompt;
  return askCapability(ctx, capability, 'prompt', session, async () => {
    const text: unknown = await prompt(session);
    if (typeof text !== 'string') throw new TypeError('`prompt` returned no text.');
    if (utf8Length(text) > MAX_PROMPT_BYTES)
      throw new RangeError('`prompt` returned too much text.');
    return text;
  });
}

async function notesOf(
  ctx: EngineContext,
  capability: Capability,
  session: CapabilitySession,
): Promise<readonly UserMessage[]> {
  const { name, beforeStep } = capability;
  if (!beforeStep) return [];
  return askCapability(ctx, capability, 'beforeStep', session, async () =>
    toNotes(name, await beforeStep(session)),
  );
}

function allTools(agent: AgentConfig, parts: readonly Part[]): AgentTools {
  const ofSession = new Map<string, readonly Tool[]>();
  const shown = new Map<string, LLMTool>();
  for (const { name, tools } of parts) {
    if (!tools) continue;
    ofSession.set(name, tools.behind);
    for (const spec of tools.shown) shown.set(spec.name, spec);
  }
  return ofSession.size === 0 ? toolsOf(agent) : toolsOfSession(agent, ofSession, shown);
}
