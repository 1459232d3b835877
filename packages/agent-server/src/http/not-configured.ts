import { HttpRefusal } from '@helix-agents/http';

/** A part that a route needs and the server was not given. */
export function notConfigured(what: string): HttpRefusal {
  return new HttpRefusal(501, {
    error: `This server was made without ${what}; hand it to AgentServer.`,
    code: 'NOT_CONFIGURED',
  });
}
