import { DefinitionError } from '../errors/setup-errors.ts';
import { checkGate, isGated, refuseGatedSubAgent } from './approval-gate.ts';
import { checkObjectSchema } from './check-object-schema.ts';
import { checkSendable } from './check-sendable.ts';
import { checkDeadline, checkSchema, checkTimer } from './check-options.ts';
import type { Tool } from './types.ts';

type AnyTool = Partial<Tool>;

/**
 * Checks a tool, also one that was written by hand or spread from another. An option that means nothing to a tool of this
 * kind is refused: its author believes that it does something.
 */
export function checkTool(owner: string, tool: AnyTool): void {
  checkGate(owner, tool);
  checkObjectSchema(owner, 'inputSchema', tool.inputSchema);
  if (tool.outputSchema !== undefined) checkSchema(owner, 'outputSchema', tool.outputSchema);
  if (tool.stateSchema !== undefined) checkSchema(owner, 'stateSchema', tool.stateSchema);
  checkExecute(owner, tool);
  checkTimer(owner, 'timeoutMs', tool.timeoutMs);
  checkDeadline(owner, 'clientToolTimeoutMs', tool.clientToolTimeoutMs);
  checkDeadline(owner, 'approvalTimeoutMs', tool.approvalTimeoutMs);
  if (tool.subAgent) {
    refuseOnSubAgent(owner, tool);
    refuse(owner, tool, { timeoutMs: 'is an option of `createSubAgentTool`; give it there' });
  } else if (tool.execute === 'client') {
    refuseOnClientTool(owner, tool);
  } else {
    refuseOnServerTool(owner, tool);
  }
}

/** `options`: those of the tool that a sub-agent is called by. */
export function refuseOnSubAgent(owner: string, options: AnyTool): void {
  refuseGatedSubAgent(owner, options);
  refuse(owner, options, {
    finishWith: 'is for tools with code of their own; let the agent that calls this one finish',
    clientToolTimeoutMs: 'belongs on the client tools inside of the sub-agent, or on that agent',
    approvalTimeoutMs: 'belongs on the gated tools inside of the sub-agent, or on that agent',
  });
}

function refuseOnClientTool(owner: string, tool: AnyTool): void {
  if (tool.outputSchema !== undefined) checkSendable(owner, 'outputSchema', tool.outputSchema);
  if (tool.finishWith) {
    throw new DefinitionError(
      `${owner}: a client tool cannot be \`finishWith\`; let a server tool finish with what the client sent.`,
    );
  }
  if (isGated(tool)) {
    throw new DefinitionError(
      `${owner}: a client tool cannot require approval; ask the person in the client before it answers.`,
    );
  }
  refuse(owner, tool, {
    timeoutMs:
      'limits code that runs here, and a client tool has none; `clientToolTimeoutMs` says how long the client has',
    execution: 'is about code that runs here, and a client tool has none; leave it out',
    approvalTimeoutMs:
      'is for tools with `requireApproval`; `clientToolTimeoutMs` says how long the client has',
  });
}

function refuseOnServerTool(owner: string, tool: AnyTool): void {
  if (tool.finishWith && isGated(tool)) {
    throw new DefinitionError(
      `${owner}: a \`finishWith\` tool cannot require approval; gate a tool before it instead.`,
    );
  }
  refuse(owner, tool, {
    clientToolTimeoutMs: `is for tools with \`execute: 'client'\`; ${
      isGated(tool)
        ? '`approvalTimeoutMs` says how long a person has to approve'
        : '`timeoutMs` limits how long this one runs'
    }`,
  });
  // A gate that is switched off may keep its deadline.
  if (tool.requireApproval !== undefined) return;
  refuse(owner, tool, {
    approvalTimeoutMs: 'is for tools with `requireApproval`, and this one asks nobody',
  });
}

function refuse(
  owner: string,
  tool: AnyTool,
  whys: { readonly [Option in keyof Tool]?: string },
): void {
  for (const [option, why] of Object.entries(whys)) {
    const given: unknown = Reflect.get(tool, option);
    if (given === undefined || given === false) continue;
    throw new DefinitionError(`${owner}: \`${option}\` ${why}.`);
  }
}

function checkExecute(owner: string, { execute, execution }: AnyTool): void {
  if (execute !== 'client' && typeof execute !== 'function') {
    throw new DefinitionError(`${owner}: \`execute\` must be a function or 'client'.`);
  }
  if (execution !== undefined && execution !== 'once' && execution !== 'retry') {
    throw new DefinitionError(`${owner}: \`execution\` must be 'retry' or 'once'.`);
  }
}
