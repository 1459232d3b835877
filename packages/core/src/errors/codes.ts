/** What a client tool's call may end with besides a result of its own. */
export const CLIENT_TOOL_ERROR_CODES = [
  'client_tool_timeout',
  'aborted',
  'runtime_restarted',
  'disposed',
  'validation_failed',
] as const;

export type ClientToolErrorCode = (typeof CLIENT_TOOL_ERROR_CODES)[number];

const ERROR_CODES = [
  'provider_rate_limited',
  'provider_overloaded',
  'provider_timeout',
  'provider_unavailable',
  'provider_error',
  'provider_auth_failed',
  'provider_request_invalid',
  'provider_context_exceeded',
  'provider_content_filtered',
  'provider_response_invalid',
  'provider_transcript_invalid',
  'provider_script_exhausted',
  'client_tool_error',
  'tool_execution_failed',
  'tool_not_found',
  'tool_input_invalid',
  'tool_output_invalid',
  'tool_timeout',
  'tool_result_too_large',
  'tool_result_unserializable',
  'tool_outcome_unknown',
  'tool_not_executed',
  'tool_approval_denied',
  'subagent_failed',
  'subagent_timeout',
  'subagent_dispatch_failed',
  'state_stale',
  'state_invalid',
  'state_unserializable',
  'state_view_readonly',
  'state_update_too_late',
  'run_already_running',
  'run_max_steps_exceeded',
  'run_recovery_exhausted',
  'run_handed_over',
  'run_not_started',
  'run_aborted',
  'run_failed',
  'capability_failed',
  'capability_timeout',
  'call_superseded',
  'call_id_taken',
  'agent_not_found',
  'session_not_found',
  'session_exists',
  'session_suspended',
  'session_not_resumable',
  'event_unserializable',
  'event_too_large',
  'stream_not_active',
  'stream_not_resumable',
  'stream_failed',
  'store_schema_mismatch',
  'store_busy',
  'store_value_too_large',
  'store_unavailable',
  'schema_timeout',
  'store_refused',
  'store_open_failed',
  'store_closed',
  'node_unsupported',
  'definition_invalid',
  'remote_unreachable',
  'remote_refused',
  'remote_reply_invalid',
  'remote_client_tool_unsupported',
  'NOT_FOUND',
  'ALREADY_COMPLETED',
  'INVALID_REQUEST',
  'INVALID_RESULT',
  'NOT_ROOT_SESSION',
  'LENGTH_REQUIRED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'NOT_CONFIGURED',
  'PROTOCOL_UNSUPPORTED',
  'START_TOO_LATE',
  'START_DIFFERS',
  'UNAVAILABLE',
  'INTERNAL_ERROR',
] as const;

/** Use as `ErrorCode | (string & {})` where codes of others may come in. */
export type ErrorCode = ClientToolErrorCode | (typeof ERROR_CODES)[number];

export const KNOWN_ERROR_CODES: ReadonlySet<string> = new Set([
  ...CLIENT_TOOL_ERROR_CODES,
  ...ERROR_CODES,
]);

/** Whether doing the same again may help. */
const RETRYABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'provider_rate_limited',
  'provider_overloaded',
  'provider_timeout',
  'provider_unavailable',
  'capability_timeout',
  'state_stale',
  'store_busy',
  'store_unavailable',
  'remote_unreachable',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'UNAVAILABLE',
]);

export function isKnownErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && KNOWN_ERROR_CODES.has(code);
}

export function isClientToolErrorCode(code: unknown): code is ClientToolErrorCode {
  return CLIENT_TOOL_ERROR_CODES.some((known) => known === code);
}

export function isRetryableCode(code: string): boolean {
  return RETRYABLE.has(code);
}

/** The word before the first underscore; `client_tool` for its codes, `request` for upper-case ones. */
export function categoryOfCode(code: string): string {
  if (isClientToolErrorCode(code) || code.startsWith('client_tool_')) return 'client_tool';
  if (/^[A-Z]/.test(code)) return 'request';
  const end = code.indexOf('_');
  return end > 0 ? code.slice(0, end) : 'unknown';
}
