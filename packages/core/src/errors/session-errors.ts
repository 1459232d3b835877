import { HelixError, isHelixErrorWithCode } from './helix-error.ts';

/** The session moved on under a writer: what it read is no longer so. */
export class StaleStateError extends HelixError {
  override readonly name: string = 'StaleStateError';

  constructor(options: {
    readonly sessionId: string;
    readonly message?: string;
    readonly cause?: unknown;
  }) {
    super({
      code: 'state_stale',
      message:
        options.message ??
        `Session ${options.sessionId} moved on since it was read; load it again and decide again.`,
      statusCode: 409,
      ...('cause' in options && { cause: options.cause }),
    });
  }

  static override isInstance(value: unknown): value is StaleStateError {
    return isHelixErrorWithCode(value, 'state_stale');
  }
}

export class AgentAlreadyRunningError extends HelixError {
  override readonly name: string = 'AgentAlreadyRunningError';
  readonly sessionId: string;
  /** The run that is in progress, where it is known: an interrupt can be meant for it alone. */
  readonly runId: string | undefined;

  constructor(sessionId: string, runId?: string) {
    super({
      code: 'run_already_running',
      message: `Session ${sessionId} already has a run in progress; read its stream, or interrupt or abort it first.`,
      statusCode: 409,
    });
    this.sessionId = sessionId;
    this.runId = runId;
  }

  static override isInstance(value: unknown): value is AgentAlreadyRunningError {
    return isHelixErrorWithCode(value, 'run_already_running');
  }
}

export class SessionNotFoundError extends HelixError {
  override readonly name: string = 'SessionNotFoundError';
  readonly sessionId: string;

  constructor(sessionId: string) {
    super({
      code: 'session_not_found',
      message:
        `There is no session ${sessionId} in this store; check the id, and that this process uses the database in which it was ` +
        `started. Two stores in memory (":memory:") share nothing.`,
      statusCode: 404,
    });
    this.sessionId = sessionId;
  }

  static override isInstance(value: unknown): value is SessionNotFoundError {
    return isHelixErrorWithCode(value, 'session_not_found');
  }
}

/** Somebody else created this session, now or before. */
export class SessionExistsError extends HelixError {
  override readonly name: string = 'SessionExistsError';
  readonly sessionId: string;

  constructor(sessionId: string) {
    super({
      code: 'session_exists',
      message: `Session ${sessionId} exists already; load it, or create one under another id.`,
      statusCode: 409,
    });
    this.sessionId = sessionId;
  }

  static override isInstance(value: unknown): value is SessionExistsError {
    return isHelixErrorWithCode(value, 'session_exists');
  }
}

/** A saved state changed fields that only show what other rows say. */
export class StateViewReadonlyError extends HelixError {
  override readonly name: string = 'StateViewReadonlyError';
  readonly sessionId: string;
  readonly fields: readonly string[];

  constructor(sessionId: string, fields: readonly string[]) {
    super({
      code: 'state_view_readonly',
      message:
        `${fields.join(', ')} of session ${sessionId} cannot be written with its state: answer calls with ` +
        `submitToolResult, move the status with compareAndSetStatus, and save the rest as it was loaded.`,
      statusCode: 409,
    });
    this.sessionId = sessionId;
    this.fields = fields;
  }

  static override isInstance(value: unknown): value is StateViewReadonlyError {
    return isHelixErrorWithCode(value, 'state_view_readonly');
  }
}

/** A new message came while people are still being asked. */
export class SessionSuspendedError extends HelixError {
  override readonly name: string = 'SessionSuspendedError';
  readonly sessionId: string;
  readonly toolCallIds: readonly string[];

  constructor(sessionId: string, toolCallIds: readonly string[]) {
    super({
      code: 'session_suspended',
      message:
        (toolCallIds.length > 0
          ? `Session ${sessionId} waits for ${toolCallIds.join(', ')}; answer and resume it`
          : `Session ${sessionId} has its answers and was not resumed yet; resume it`) +
        `, or send the message with onMessageWhileSuspended: 'supersede'.`,
      statusCode: 409,
    });
    this.sessionId = sessionId;
    this.toolCallIds = toolCallIds;
  }

  static override isInstance(value: unknown): value is SessionSuspendedError {
    return isHelixErrorWithCode(value, 'session_suspended');
  }
}

export class NotResumableError extends HelixError {
  override readonly name: string = 'NotResumableError';
  readonly sessionId: string;
  readonly reason: string;

  /** `message` where it was not resumed but asked for something else. */
  constructor(sessionId: string, reason: string, message?: string) {
    super({
      code: 'session_not_resumable',
      message:
        message ??
        `Session ${sessionId} cannot be resumed (${reason}); send a message to start its next turn, or retry it if it failed.`,
      statusCode: 409,
    });
    this.sessionId = sessionId;
    this.reason = reason;
  }

  static override isInstance(value: unknown): value is NotResumableError {
    return isHelixErrorWithCode(value, 'session_not_resumable');
  }
}

export class StreamNotActiveError extends HelixError {
  override readonly name: string = 'StreamNotActiveError';
  readonly streamId: string;

  constructor(streamId: string, status: string) {
    super({
      code: 'stream_not_active',
      message: `Stream ${streamId} is ${status}; reactivate it before writing to it.`,
      statusCode: 409,
    });
    this.streamId = streamId;
  }

  static override isInstance(value: unknown): value is StreamNotActiveError {
    return isHelixErrorWithCode(value, 'stream_not_active');
  }
}
