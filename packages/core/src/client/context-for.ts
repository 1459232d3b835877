import type { EngineContext } from '../engine/context.ts';
import { withContext } from '../logger.ts';
import type { CallOptions } from './types.ts';

/** The context for one call: its log lines carry the name of the service that made the call. */
export function contextFor(ctx: EngineContext, { serviceName }: CallOptions): EngineContext {
  if (serviceName === undefined) return ctx;
  return { ...ctx, logger: withContext(ctx.logger, { service: serviceName }) };
}
