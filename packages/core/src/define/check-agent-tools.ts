import { DefinitionError } from '../errors/setup-errors.ts';
import { describeIssues } from '../errors/issue.ts';
import { checkTool } from './check-tool.ts';
import { checkModelToolName } from './model-tool-name.ts';
import { TOOL_OPTIONS } from './option-names.ts';
import { parseNow } from './parse-with.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';
import { checkNotReserved } from './tool-names.ts';
import type { Schema, Tool } from './types.ts';

/** Checks what was given as `tools`: also tools that were written by hand, spread from others or made for something else. */
export function checkAgentTools(owner: string, tools: unknown): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) throw notAList(owner, tools);
  const seen = new Set<string>();
  for (const tool of tools as readonly Tool[]) {
    checkIsTool(owner, tool);
    const { name } = tool;
    const itself = `${owner}, tool "${name}"`;
    refuseUnknownOptions(itself, tool, TOOL_OPTIONS);
    checkModelToolName(itself, name);
    checkNotReserved(itself, tool);
    checkTool(itself, tool);
    if (seen.has(name)) {
      throw new DefinitionError(`${owner}: two tools are named "${name}"; rename one of them.`);
    }
    seen.add(name);
  }
}

/** The state that a tool was written for must be there: the agent's own defaults are looked at with the tool's schema. */
export function checkStateOfTools(
  owner: string,
  agent: { readonly tools?: readonly Tool[]; readonly stateSchema?: Schema },
): void {
  const { tools = [], stateSchema } = agent;
  for (const { name, stateSchema: needed } of tools) {
    if (!needed || needed === stateSchema) continue;
    const why = stateSchema ? misfit(stateSchema, needed) : 'and this agent has no `stateSchema`';
    if (why === null) continue;
    throw new DefinitionError(
      `${owner}: the tool "${name}" was written for a state (its \`stateSchema\`), ${why}; give the agent a \`stateSchema\` with those fields.`,
    );
  }
}

function misfit(has: Schema, needed: Schema): string | null {
  const state = parseNow(has, {});
  if (!state?.ok) return null;
  const fits = parseNow(needed, state.value);
  if (fits && !fits.ok)
    return `and the state of this agent does not fit it (${describeIssues(fits.issues)})`;
  const wanted = parseNow(needed, {});
  const missing = wanted?.ok ? missingFields(wanted.value, state.value) : [];
  return missing.length === 0 ? null : `and the state of this agent lacks ${missing.join(', ')}`;
}

/** Those that the tool's schema fills in and the agent's does not have. */
function missingFields(wanted: unknown, state: unknown): string[] {
  if (typeof wanted !== 'object' || typeof state !== 'object' || !wanted || !state) return [];
  return Object.keys(wanted).filter((field) => !Object.hasOwn(state, field));
}

function checkIsTool(owner: string, tool: unknown): asserts tool is Tool {
  if (typeof tool !== 'object' || tool === null) {
    throw new DefinitionError(
      `${owner}: \`tools\` has ${tool === null ? 'null' : `a ${typeof tool}`} in it; put tools of \`defineTool\` there.`,
    );
  }
  if (typeof Reflect.get(tool, 'name') === 'string') return;
  throw new DefinitionError(
    isSdkTool(tool)
      ? `${owner}: \`tools\` has a tool() of the AI SDK in it, which has no name of its own; define it with \`defineTool({ name, description, inputSchema, execute })\`.`
      : `${owner}: \`tools\` has something in it that is no tool: it has no \`name\`; define it with \`defineTool\`.`,
  );
}

function isSdkTool(tool: object): boolean {
  return 'inputSchema' in tool || 'parameters' in tool;
}

function notAList(owner: string, tools: unknown): DefinitionError {
  const names =
    typeof tools === 'object' && tools !== null && Object.keys(tools).length > 0
      ? Object.keys(tools).join(', ')
      : 'search, refund';
  return new DefinitionError(
    `${owner}: \`tools\` must be a list of tools, such as [${names}]; each says its own \`name\`, which \`defineTool\` takes.`,
  );
}
