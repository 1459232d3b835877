import { DefinitionError } from '../errors/setup-errors.ts';
import type { ToolExecution } from '../store/rows.ts';

/** Whatever was given as `requireApproval`: definitions are not always type-checked. */
interface Gate {
  readonly requireApproval?: unknown;
}

/** Whether a person may have to be asked. Fails closed: only an option that is absent or `false` says no. */
export function isGated({ requireApproval }: Gate): boolean {
  return requireApproval !== undefined && requireApproval !== false;
}

/** A gated tool is started at most once unless it says otherwise, wherever the gate was set. */
export function executionOf(tool: Gate & { readonly execution?: ToolExecution }): ToolExecution {
  return tool.execution ?? (isGated(tool) ? 'once' : 'retry');
}

export function checkGate(owner: string, { requireApproval: rule }: Gate): void {
  if (rule === undefined || typeof rule === 'boolean' || typeof rule === 'function') return;
  throw new DefinitionError(
    `${owner}: \`requireApproval\` must be true, false or a function that says so, not ${describe(rule)}.`,
  );
}

/** A sub-agent asks through its own tools: a gate in front of it would ask nobody. */
export function refuseGatedSubAgent(owner: string, gate: Gate): void {
  if (!isGated(gate)) return;
  throw new DefinitionError(
    `${owner}: a sub-agent cannot require approval; put \`requireApproval\` on the tools inside of it that need one.`,
  );
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : value === null ? 'null' : `a ${typeof value}`;
}
