import type { EngineContext } from '../engine/context.ts';
import { withContext } from '../logger.ts';
import type { CallOptions } from './types.ts';

/** What one call works with: its log lines carry the name of the service that made it. */
export function contextFor(ctx: EngineContext, { serviceName }: CallOptions): EngineContext {
  if (serviceName === undefined) return ctx;
  return { ...ctx, logger: withContext(ctx.logger, { service: serviceName }) };
}
