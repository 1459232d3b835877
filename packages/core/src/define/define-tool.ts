import { checkTool } from './check-tool.ts';
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
  /** How long `execute` may run. */
  readonly timeoutMs?: number;
  /** How long the client of a client tool has. */
  readonly clientToolTimeoutMs?: number | 'never';
  /** How long a person has to approve. */
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
 * Checks a tool. Runs nothing.
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
  const { parameters, inputSchema = parameters, ...options } = definition;
  const tool = { ...options, description: options.description ?? '', inputSchema };
  checkTool(`Tool "${definition.name}"`, tool as Tool);
  return tool as Tool<InferSchema<Input>, InferSchema<Output>>;
}
