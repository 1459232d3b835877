import { checkTool } from './check-tool.ts';
import { TOOL_OPTIONS } from './option-names.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';
import { checkToolName } from './tool-names.ts';
import type {
  InferSchema,
  InferSchemaInput,
  RequireApproval,
  Schema,
  Tool,
  ToolContext,
} from './types.ts';
import type { ToolExecution } from '../store/rows.ts';

interface ToolOptions<
  Input extends Schema,
  Output extends Schema,
  Result,
  Name extends string,
  State extends Schema,
  Finish extends boolean,
> {
  /** Letters, digits, `_` and `-`, at most 64: what every provider takes. */
  readonly name: Name;
  /** What the model is told the tool does. */
  readonly description?: string;
  /** What `execute`, or the client, must answer with. Without it the type of the result is what `execute` returns. */
  readonly outputSchema?: Output;
  /** The `stateSchema` of the agents that have this tool, or a part of it: types `state` and `updateState` of the context. */
  readonly stateSchema?: State;
  /** `'client'`: the call waits for `submitToolResult`. */
  readonly execute:
    | 'client'
    | ((
        input: InferSchema<Input>,
        context: ToolContext<InferSchema<State>>,
      ) => Result | Promise<Result>);
  /** Its output becomes the agent's output. */
  readonly finishWith?: Finish;
  /** A person is asked before `execute` runs; a predicate that throws means yes. */
  readonly requireApproval?: RequireApproval<InferSchema<Input>, InferSchema<State>>;
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
  Result = unknown,
  Name extends string = string,
  State extends Schema = Schema,
  Finish extends boolean = boolean,
> = ToolOptions<Input, Output, Result, Name, State, Finish> &
  (
    | { readonly inputSchema: Input; readonly parameters?: never }
    | { readonly parameters: Input; readonly inputSchema?: never }
  );

/** What a model sends for a call is an object with named fields. The runtime check (`checkObjectSchema`) sees more than the compiler. */
interface MustDescribeAnObject {
  readonly 'must describe an object, as z.object({ … }) does': never;
}

type CheckedInput<Input extends Schema> =
  unknown extends InferSchemaInput<Input>
    ? unknown
    : [InferSchemaInput<Input>] extends [readonly unknown[]]
      ? MustDescribeAnObject
      : [InferSchemaInput<Input>] extends [object]
        ? unknown
        : MustDescribeAnObject;

type Unsendable =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | bigint
  | symbol
  | ((...args: never[]) => unknown);

/** A result is sent as JSON, which has no maps, sets or bigints. The runtime check also finds them further inside. */
interface MustReturnJson {
  readonly execute: 'must return what JSON can carry: an object or a list in place of a Map or a Set, a string in place of a bigint';
}

type CheckedResult<Result> = unknown extends Result
  ? unknown
  : [Extract<Result, Unsendable>] extends [never]
    ? unknown
    : MustReturnJson;

/** What `defineTool` returns: a `Tool` that knows its types. */
export type DefinedTool<
  Input extends Schema,
  Output extends Schema,
  Result,
  Name extends string,
  State extends Schema,
  Finish extends boolean,
> = Tool<InferSchema<Input>, ResultType<Output, Result>, Name, InferSchema<State>> & {
  readonly finishWith?: Finish;
};

/** By the output schema, where there is one; a tool that returns nothing has null as its result. */
type ResultType<Output extends Schema, Result> =
  unknown extends InferSchema<Output>
    ? [Result] extends [undefined | void]
      ? null
      : Result
    : InferSchema<Output>;

/**
 * Checks a tool. Runs nothing. Its name and whether it finishes are what the definition says (`NoInfer`): a list of tools
 * around it would make them any.
 *
 * @example
 * defineTool({
 *   name: 'refund',
 *   description: 'Pays an order back.',
 *   inputSchema: z.object({ orderId: z.string() }),
 *   requireApproval: true,
 *   execute: async ({ orderId }, context) => refund(orderId, context.idempotencyKey),
 * });
 */
export function defineTool<
  Input extends Schema,
  Name extends string,
  Output extends Schema = Schema,
  Result extends InferSchemaInput<Output> = InferSchemaInput<Output>,
  State extends Schema = Schema,
  Finish extends boolean = false,
>(
  definition: ToolDefinition<Input, Output, Result, Name, State, Finish> &
    CheckedResult<NoInfer<Result>> & {
      readonly inputSchema?: CheckedInput<NoInfer<Input>>;
      readonly parameters?: CheckedInput<NoInfer<Input>>;
    },
): DefinedTool<Input, Output, Result, NoInfer<Name>, State, NoInfer<Finish>> {
  checkToolName(definition.name);
  refuseUnknownOptions(`Tool "${definition.name}"`, definition, TOOL_OPTIONS);
  const { parameters, inputSchema = parameters, ...options } = definition;
  const tool = { ...options, description: options.description ?? '', inputSchema };
  checkTool(`Tool "${definition.name}"`, tool as unknown as Tool);
  return tool as unknown as DefinedTool<Input, Output, Result, Name, State, Finish>;
}
