import { HelixPayloadTooLargeError, HelixStreamError } from '@helix-agents/core';

/** The error of a response that is not ok, with a text to show. */
export async function responseError(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '');
  const { error = text, code } = readJson(text);
  const message = error === '' ? `The server answered ${response.status}.` : error;
  if (response.status === 413) {
    const limit = Number(response.headers.get('x-max-body-bytes'));
    return new HelixPayloadTooLargeError({ message, maxBytes: limit > 0 ? limit : null });
  }
  return HelixStreamError.fromEvent({ message, code, retryable: response.status >= 500 });
}

function readJson(text: string): { readonly error?: string; readonly code?: string } {
  try {
    const { error, code } = JSON.parse(text) as { error?: unknown; code?: unknown };
    return {
      ...(typeof error === 'string' && { error }),
      ...(typeof code === 'string' && { code }),
    };
  } catch {
    return {};
  }
}
