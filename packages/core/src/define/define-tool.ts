import { DefinitionError } from '../errors/setup-errors.ts';
import { checkGate, isGated } from './approval-gate.ts';
import { checkDeadline, checkSchema, checkTimer } from './check-options.ts';
import { checkToolName } from './reserved-names.ts';
import type {
  InferSchema,
  InferSchemaInput,
  RequireApproval,
  Schema,
  Tool,
  ToolContext,
} from './types.ts';
import type { ToolExecution } from '../store/rows.ts';

interface ToolOptions<Input extends Schema, Output extends Schema> {
  readonly name: string;
  readonly description?: string;
  /** What `execute`, or the client, must answer with. */
  readonly outputSchema?: Output;
  /** `'client'`: the call waits for `submitToolResult`. */
  readonly execute:
    | 'client'
    | ((
        input: InferSchema<Input>,
        context: ToolContext,
      ) => InferSchemaInput<Output> | Promise<InferSchemaInput<Output>>);
  /** Its output becomes the agent's output. */
  readonly finishWith?: boolean;
  /** A person is asked before `execute` runs; a predicate that throws means yes. */
  readonly requireApproval?: RequireApproval<InferSchema<Input>>;
  /** `'once'`, the default of gated tools: never started a second time, also not after a crash. */
  readonly execution?: ToolExecution;
  readonly timeoutMs?: number;
  readonly clientToolTimeoutMs?: number | 'never';
  readonly approvalTimeoutMs?: number | 'never';
  /** Asks the provider to constrain the arguments. */
  readonly strict?: boolean;
}

/** `parameters` is another word for `inputSchema`. */
export type ToolDefinition<
  Input extends Schema = Schema,
  Output extends Schema = Schema,
> = ToolOptions<Input, Output> &
  (
    | { readonly inputSchema: Input; readonly parameters?: never }
    | { readonly parameters: Input; readonly inputSchema?: never }
  );

/**
 * Checks a tool and fills in its defaults. Runs nothing.
 *
 * @example
 * defineTool({
 *   name: 'refund',
 *   inputSchema: z.object({ orderId: z.string() }),
 *   requireApproval: true,
 *   execute: async ({ orderId }, context) => refund(orderId, context.idempotencyKey),
 * });
 */
export function defineTool<Input extends Schema, Output extends Schema = Schema>(
  definition: ToolDefinition<Input, Output>,
): Tool<InferSchema<Input>, InferSchema<Output>> {
  checkToolName(definition.name);
  const owner = `Tool "${definition.name}"`;
  const { parameters, inputSchema = parameters, ...options } = definition;
  checkSchema(owner, 'inputSchema', inputSchema);
  if (options.outputSchema !== undefined) checkSchema(owner, 'outputSchema', options.outputSchema);
  checkGate(owner, options);
  checkExecute(owner, definition);
  checkTimer(owner, 'timeoutMs', options.timeoutMs);
  checkDeadline(owner, 'clientToolTimeoutMs', options.clientToolTimeoutMs);
  checkDeadline(owner, 'approvalTimeoutMs', options.approvalTimeoutMs);
  return {
    ...options,
    description: options.description ?? '',
    inputSchema,
    execution: options.execution ?? (isGated(options) ? 'once' : 'retry'),
  } as Tool<InferSchema<Input>, InferSchema<Output>>;
}

type AnyTool = Pick<Tool, 'execute' | 'finishWith' | 'requireApproval' | 'execution'>;

function checkExecute(owner: string, tool: AnyTool): void {
  const { execute, finishWith, execution } = tool;
  if (execute !== 'client' && typeof execute !== 'function') {
    throw new DefinitionError(`${owner}: \`execute\` must be a function or 'client'.`);
  }
  if (execution !== undefined && execution !== 'once' && execution !== 'retry') {
    throw new DefinitionError(`${owner}: \`execution\` must be 'retry' or 'once'.`);
  }
  if (execute === 'client' && finishWith) {
    throw new DefinitionError(
      `${owner}: a client tool cannot be \`finishWith\`; let a server tool finish with what the client sent.`,
    );
  }
  if (execute === 'client' && isGated(tool)) {
    throw new DefinitionError(
      `${owner}: a client tool cannot require approval; ask the person in the client before it answers.`,
    );
  }
  if (finishWith && isGated(tool)) {
    throw new DefinitionError(
      `${owner}: a \`finishWith\` tool cannot require approval; gate a tool before it instead.`,
    );
  }
}
