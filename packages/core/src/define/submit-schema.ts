import { z } from 'zod';
import { DefinitionError } from '../errors/setup-errors.ts';
import type { JsonValue } from '../json.ts';
import { describeFault, toJsonValue, utf8Length } from '../util/to-json-value.ts';

export const DEFAULT_SUBMIT_MAX_RESULT_BYTES = 1_048_576;

/** Key under which a schema carries the limits it was built with. */
export const SUBMIT_SCHEMA_LIMITS: unique symbol = Symbol.for('@helix-agents/submit-schema-limits');

export interface SubmitSchemaLimits {
  readonly maxIdLength: number;
  readonly maxErrorBytes: number;
  readonly maxResultBytes: number;
}

/** Characters of an id that a caller names. */
export const MAX_ID_LENGTH = 256;

interface CallAddress {
  /** Always the root session. */
  readonly sessionId: string;
  readonly toolCallId: string;
  /** Chosen by the sender: the submission that was taken, sent again with it, is `accepted` again. */
  readonly submissionId?: string | undefined;
}

/** A person's or client's answer to one open call. An error closes a call of any kind. */
export type SubmitToolResult =
  | (CallAddress & { readonly kind: 'client-tool-result'; readonly result: JsonValue })
  | (CallAddress & { readonly kind: 'client-tool-result'; readonly error: string })
  | (CallAddress & {
      readonly kind: 'approval-response';
      readonly approved: boolean;
      readonly approvalId?: string;
      readonly reason?: string;
      /** The input to execute with, where the person edited it. */
      readonly input?: JsonValue;
    });

/**
 * What a caller may send as one: without `kind` it is a client tool's result. The schema checks that `result` and `input`
 * are JSON, so they may be of any type here.
 */
export type SubmitToolResultInput =
  | (CallAddress & {
      readonly kind?: 'client-tool-result' | undefined;
      readonly result: unknown;
      readonly error?: undefined;
    })
  | (CallAddress & {
      readonly kind?: SubmitToolResult['kind'] | undefined;
      readonly error: string;
      readonly result?: undefined;
    })
  | (CallAddress & {
      readonly kind: 'approval-response';
      readonly approved: boolean;
      readonly approvalId?: string | undefined;
      readonly reason?: string | undefined;
      readonly input?: unknown;
    });

export type SubmitToolResultSchema = z.ZodType<SubmitToolResult> & {
  readonly [SUBMIT_SCHEMA_LIMITS]: SubmitSchemaLimits;
};

/**
 * The schema of a submission. Without `kind` it is a `client-tool-result`; that one has a `result`
 * (`null` and `false` are results) or an `error`, never both.
 */
export function createSubmitToolResultSchema(
  options: { readonly maxResultBytes?: number } = {},
): SubmitToolResultSchema {
  const maxResultBytes = options.maxResultBytes ?? DEFAULT_SUBMIT_MAX_RESULT_BYTES;
  if (!(maxResultBytes > 0 && Number.isFinite(maxResultBytes))) {
    throw new DefinitionError(`maxResultBytes must be a number above 0, not ${maxResultBytes}.`);
  }
  const limits: SubmitSchemaLimits = {
    maxIdLength: MAX_ID_LENGTH,
    maxErrorBytes: 8_192,
    maxResultBytes,
  };
  // Built at the first submission, not when core is imported.
  const schema = z.lazy(() => submissionFields(limits).transform(toSubmission));
  return Object.assign(schema, { [SUBMIT_SCHEMA_LIMITS]: limits });
}

/** The limits a schema was built with; null when it is not one of ours. */
export function readSubmitLimits(schema: object): SubmitSchemaLimits | null {
  return (Reflect.get(schema, SUBMIT_SCHEMA_LIMITS) as SubmitSchemaLimits | undefined) ?? null;
}

export const SubmitToolResultSchema: SubmitToolResultSchema = createSubmitToolResultSchema();

const bySize = new Map<number, SubmitToolResultSchema>();

/** The schema with this limit, made once: a process has few of them. */
export function submitSchemaOf(
  maxResultBytes: number = DEFAULT_SUBMIT_MAX_RESULT_BYTES,
): SubmitToolResultSchema {
  if (maxResultBytes === DEFAULT_SUBMIT_MAX_RESULT_BYTES) return SubmitToolResultSchema;
  let schema = bySize.get(maxResultBytes);
  if (!schema)
    bySize.set(maxResultBytes, (schema = createSubmitToolResultSchema({ maxResultBytes })));
  return schema;
}

interface SubmissionFields extends CallAddress {
  readonly kind?: 'client-tool-result' | 'approval-response' | undefined;
  readonly result?: JsonValue | undefined;
  readonly error?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly approved?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly input?: JsonValue | undefined;
}

function submissionFields(limits: SubmitSchemaLimits): z.ZodType<SubmissionFields> {
  const id = plainId(limits.maxIdLength);
  const text = z
    .string()
    .refine(
      (value) => utf8Length(value) <= limits.maxErrorBytes,
      `must be at most ${limits.maxErrorBytes} bytes`,
    );
  const json = z.unknown().transform((value, context) => plainValue(value, limits, context));
  return z.object({
    kind: z.enum(['client-tool-result', 'approval-response']).optional(),
    sessionId: id,
    toolCallId: id,
    submissionId: id.optional(),
    result: json.optional(),
    error: text.min(1).optional(),
    // Holds a run id and a call id.
    approvalId: plainId(2 * limits.maxIdLength + 2).optional(),
    approved: z.boolean().optional(),
    reason: text.optional(),
    input: json.optional(),
  });
}

function plainValue(
  value: unknown,
  { maxResultBytes }: SubmitSchemaLimits,
  context: z.RefinementCtx,
): JsonValue | undefined {
  if (value === undefined) return undefined;
  const converted = toJsonValue(value, maxResultBytes);
  if (converted.ok) return converted.value;
  context.addIssue({
    code: 'custom',
    message: converted.isTooLarge
      ? `must be at most ${maxResultBytes} bytes as JSON`
      : `must be JSON: ${describeFault(converted)}`,
  });
  return z.NEVER;
}

function toSubmission(fields: SubmissionFields, context: z.RefinementCtx): SubmitToolResult {
  const { kind = 'client-tool-result', sessionId, toolCallId, submissionId } = fields;
  const { result, error, approved } = fields;
  const call: CallAddress = {
    sessionId,
    toolCallId,
    ...(submissionId !== undefined && { submissionId }),
  };
  const refuse = (path: string, message: string): never => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  if (error !== undefined) {
    if (result !== undefined) return refuse('error', 'send either a result or an error, not both');
    if (approved !== undefined)
      return refuse('error', 'send either an approval or an error, not both');
    return { kind: 'client-tool-result', ...call, error };
  }
  if (kind === 'client-tool-result') {
    if (result !== undefined) return { kind, ...call, result };
    return refuse(
      'result',
      'send a result or an error (an approval needs kind "approval-response")',
    );
  }
  if (approved === undefined) return refuse('approved', 'say true or false');
  if (result !== undefined) return refuse('result', 'an approval has no result');
  const { approvalId, reason, input } = fields;
  return {
    kind,
    ...call,
    approved,
    ...(approvalId !== undefined && { approvalId }),
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input }),
  };
}

function plainId(maxLength: number): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine(
      (value) => value.isWellFormed() && !/\p{Cc}/u.test(value),
      'must not contain control characters or broken surrogates',
    );
}
