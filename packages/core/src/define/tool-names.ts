import { DefinitionError } from '../errors/setup-errors.ts';
import { FINISH_TOOL_NAME } from './finish-tool.ts';
import { checkModelToolName } from './model-tool-name.ts';
import { SUBAGENT_TOOL_PREFIX } from './sub-agent-tool.ts';

export const RESERVED_TOOL_NAME_PREFIXES: readonly string[] = [SUBAGENT_TOOL_PREFIX, 'companion__'];
export const RESERVED_TOOL_NAMES: readonly string[] = [
  FINISH_TOOL_NAME,
  'load_skill',
  'read_skill_file',
];

export function checkToolName(name: unknown): asserts name is string {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new DefinitionError('A tool needs a name: give defineTool a non-empty `name`.');
  }
  checkNotReserved(`Tool "${name}"`, { name });
  checkModelToolName(`Tool "${name}"`, name);
}

/** Names of the framework's own tools, which a tool that was written by hand or spread from another could take. */
export function checkNotReserved(
  owner: string,
  { name, subAgent }: { readonly name: string; readonly subAgent?: object },
): void {
  const prefix = RESERVED_TOOL_NAME_PREFIXES.find((reserved) => name.startsWith(reserved));
  if (prefix !== undefined && !(subAgent && prefix === SUBAGENT_TOOL_PREFIX)) {
    throw new DefinitionError(
      `${owner}: names that start with "${prefix}" belong to the framework; choose another.`,
    );
  }
  if (RESERVED_TOOL_NAMES.includes(name))
    throw new DefinitionError(`${owner}: this name belongs to the framework; choose another.`);
}
