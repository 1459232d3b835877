import type { DescribeError } from '../engine/rows/answer-result.ts';
import { errorMessage } from '../errors/helix-error.ts';
import { humanizeClientToolError } from '../errors/client-tool-errors.ts';
import type { Logger } from '../logger.ts';

/**
 * The application's text for an error code. The English text if the application returns the code itself, throws or returns
 * no text; the last two are logged the first time.
 */
export function describeSafely(describe: (code: string) => string, logger: Logger): DescribeError {
  let isLogged = false;
  return (code, english = humanizeClientToolError(code)) => {
    try {
      const text: unknown = describe(code);
      if (typeof text === 'string') return text === code ? english : text;
      throw new TypeError(`describeError gave no text for ${code}.`);
    } catch (error) {
      if (!isLogged)
        logger.error('client_tool.describe_failed', { code, error: errorMessage(error) });
      isLogged = true;
      return english;
    }
  };
}
