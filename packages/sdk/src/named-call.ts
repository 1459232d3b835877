import { HelixError } from '@helix-agents/core';

/** Makes a call, and puts its name in front of the message of an error that it throws. */
export async function namedCall<T>(name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw HelixError.isInstance(error) ? withName(error, name) : error;
  }
}

/** The same for a synchronous call. */
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
