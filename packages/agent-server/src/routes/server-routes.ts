import { json } from '@helix-agents/http';
import { route, type AnyRoute } from '../http/route.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { Health } from '../schemas.ts';
import { answers } from './answers.ts';

export function healthRoute(service: string | undefined, isClosing: () => boolean): AnyRoute {
  return route({
    method: 'GET',
    path: '/health',
    operation: null,
    summary: 'Whether this server takes requests. Asks nobody who it is and looks nothing up.',
    answers: {
      200: { description: 'It does', schema: Health },
      503: { description: 'It is shutting down', schema: Health },
    },
    handle: async () => {
      const named = service === undefined ? {} : { service };
      return isClosing()
        ? json(503, { status: 'draining', ...named })
        : json(200, { status: 'ok', ...named });
    },
  });
}

export function documentRoute(document: () => OpenApiDocument): AnyRoute {
  return route({
    method: 'GET',
    path: '/openapi.json',
    operation: 'openapi',
    needsBinding: false,
    summary: 'This document.',
    answers: {
      200: { description: 'OpenAPI 3.1', contentType: 'application/json' },
      ...answers.any,
    },
    handle: async () => json(200, document()),
  });
}
