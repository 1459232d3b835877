import { HelixError, isHelixErrorWithCode } from './helix-error.ts';
import { describeIssues, type Issue } from './issue.ts';

/** What came in does not have the shape that was asked for; nothing was changed. */
export class InvalidRequestError extends HelixError {
  override readonly name: string = 'InvalidRequestError';
  readonly details: readonly Issue[];

  constructor(details: readonly Issue[], message?: string) {
    super({
      code: 'INVALID_REQUEST',
      message:
        message ??
        `The request is not valid: ${describeIssues(details)}. Correct it and send it again.`,
      statusCode: 400,
    });
    this.details = details;
  }

  static override isInstance(value: unknown): value is InvalidRequestError {
    return isHelixErrorWithCode(value, 'INVALID_REQUEST');
  }
}

/** A submitted value does not fit the tool's schema; the call stays open. */
export class InvalidResultError extends HelixError {
  override readonly name: string = 'InvalidResultError';
  readonly toolName: string;
  readonly toolCallId: string;
  readonly issues: readonly Issue[];

  constructor(options: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly issues: readonly Issue[];
  }) {
    super({
      code: 'INVALID_RESULT',
      message:
        `What was submitted for ${options.toolName} (${options.toolCallId}) does not fit its schema: ` +
        `${describeIssues(options.issues)}. The call is still open: submit a corrected value, or an error.`,
      statusCode: 400,
    });
    this.toolName = options.toolName;
    this.toolCallId = options.toolCallId;
    this.issues = options.issues;
  }

  static override isInstance(value: unknown): value is InvalidResultError {
    return isHelixErrorWithCode(value, 'INVALID_RESULT');
  }
}

/** Clients must use the id of the root session. */
export class NotRootSessionError extends HelixError {
  override readonly name: string = 'NotRootSessionError';
  readonly sessionId: string;
  readonly rootId: string;

  constructor(sessionId: string, rootId: string) {
    super({
      code: 'NOT_ROOT_SESSION',
      message: `Session ${sessionId} is a sub-agent's; send this to its root session ${rootId}.`,
      statusCode: 400,
    });
    this.sessionId = sessionId;
    this.rootId = rootId;
  }

  static override isInstance(value: unknown): value is NotRootSessionError {
    return isHelixErrorWithCode(value, 'NOT_ROOT_SESSION');
  }
}
