import { isClientToolErrorCode, type ClientToolErrorCode } from './codes.ts';

const TEXTS: { readonly [Code in ClientToolErrorCode]: string } = {
  client_tool_timeout: 'The client did not answer this tool call in time.',
  aborted: 'This tool call was aborted before the client answered.',
  runtime_restarted: 'The runtime restarted before the client answered this tool call.',
  disposed: 'The agent was shut down before the client answered this tool call.',
  validation_failed: 'The result the client sent does not match what this tool returns.',
};

/** English text for a built-in code; any other string is handed back as it came. */
export function humanizeClientToolError(error: string): string {
  return isClientToolErrorCode(error) ? TEXTS[error] : error;
}
