import { HelixError } from '@helix-agents/core';

/** Does a call, and puts its name before the message of what it throws. */
export async function namedCall<T>(name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw HelixError.isInstance(error) ? withName(error, name) : error;
  }
}

/** The same for a call that does not wait. */
export function namedNow<T>(name: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw HelixError.isInstance(error) ? withName(error, name) : error;
  }
}

function withName(error: HelixError, name: string): HelixError {
  const { message, stack } = error;
  const named = `${name}: ${message}`;
  // The first line of the stack repeats the message.
  const value = stack?.replace(message, () => named);
  Object.defineProperty(error, 'message', { value: named, configurable: true, writable: true });
  Object.defineProperty(error, 'stack', { value, configurable: true, writable: true });
  return error;
}
