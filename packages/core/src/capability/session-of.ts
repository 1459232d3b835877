import type { ToolContext } from '../define/types.ts';
import { HelixError } from '../errors/helix-error.ts';
import type { CapabilitySession } from './types.ts';

/** Under a registered symbol: found also where two copies of this package meet. */
const SESSION = Symbol.for('@helix-agents/capability-session');

/** Gives a tool's context the session it runs in, which is made when somebody asks for it. */
export function bindSession<Context extends object>(
  context: Context,
  session: () => CapabilitySession,
): Context {
  return Object.defineProperty(context, SESSION, { get: session });
}

/** The session in which a tool of a capability runs. */
export function capabilitySession(context: ToolContext): CapabilitySession {
  const session: unknown = Reflect.get(context, SESSION);
  if (session !== undefined) return session as CapabilitySession;
  throw new HelixError({
    code: 'capability_failed',
    message: 'This context has no session: hand in the one that the engine gave to the tool.',
  });
}
