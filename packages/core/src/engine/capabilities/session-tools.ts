import type { Capability, CapabilitySession } from '../../capability/types.ts';
import { capabilitiesOf } from '../../define/agent-capabilities.ts';
import { checkSessionTools } from '../../define/check-capabilities.ts';
import { toLLMTool } from '../../define/effective-tools.ts';
import type { AgentConfig, Schema, Tool } from '../../define/types.ts';
import type { LLMTool } from '../../llm/adapter.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import type { EngineContext } from '../context.ts';
import { askCapability } from './ask-capability.ts';

/** The tools that a function of a capability returns for a session; null where its tools are part of the definition. */
export async function askForTools(
  ctx: EngineContext,
  capability: Capability,
  session: CapabilitySession,
): Promise<readonly Tool[] | null> {
  const { name, tools } = capability;
  if (typeof tools !== 'function') return null;
  return askCapability(ctx, capability, 'tools', session, async () => {
    const returned = await tools(session);
    checkSessionTools(`Agent "${session.agentType}", capability "${name}"`, returned);
    return returned;
  });
}

/** A tool of a call, among those that functions of capabilities return. */
export async function findSessionTool(
  ctx: EngineContext,
  agent: AgentConfig,
  session: () => CapabilitySession,
  toolName: string,
): Promise<Tool | undefined> {
  for (const capability of capabilitiesOf(agent)) {
    if (typeof capability.tools !== 'function') continue;
    const tools = await askForTools(ctx, capability, session());
    const found = tools?.find(({ name }) => name === toolName);
    if (found) return found;
  }
  return undefined;
}

export function shownTools(tools: readonly Tool[]): readonly LLMTool[] {
  return frozenCopy(tools.map(toLLMTool));
}

/** What is behind the tools that a session was shown: one that is gone says so. */
export function toolsBehind(shown: readonly LLMTool[], current: readonly Tool[]): readonly Tool[] {
  const byName = new Map(current.map((tool) => [tool.name, tool]));
  return shown.map((spec) => byName.get(spec.name) ?? goneTool(spec));
}

const ANYTHING: Schema = {
  '~standard': { version: 1, vendor: 'helix', validate: (value) => ({ value }) },
};

function goneTool({ name, description }: LLMTool): Tool {
  return {
    name,
    description,
    inputSchema: ANYTHING,
    execution: 'retry',
    execute: () => {
      throw new Error(`The tool ${name} no longer exists.`);
    },
  };
}
