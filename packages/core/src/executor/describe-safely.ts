import type { DescribeError } from '../engine/operations/answer-result.ts';
import { errorMessage } from '../errors/helix-error.ts';
import { humanizeClientToolError } from '../errors/client-tool-errors.ts';
import type { Logger } from '../logger.ts';

/** The application's text of an error code; the English one where it throws or has no text, which is logged once. */
export function describeSafely(describe: DescribeError, logger: Logger): DescribeError {
  let isLogged = false;
  return (code) => {
    try {
      const text: unknown = describe(code);
      if (typeof text === 'string') return text;
      throw new TypeError(`describeError gave no text for ${code}.`);
    } catch (error) {
      if (!isLogged)
        logger.error('client_tool.describe_failed', { code, error: errorMessage(error) });
      isLogged = true;
      return humanizeClientToolError(code);
    }
  };
}
