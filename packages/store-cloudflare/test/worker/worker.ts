import type { ObjectStoreOptions } from '@helix-agents/store-cloudflare';
import { runSuite } from './run-suite.ts';
import { objectSuites } from './suites.ts';

interface Env {
  readonly OBJECTS: {
    getByName(name: string): { fetch(request: Request): Promise<Response> };
  };
}

interface ObjectContext {
  readonly storage: ObjectStoreOptions['storage'] & { readonly sql: ObjectStoreOptions['sql'] };
}

export class Suites {
  readonly #context: ObjectContext;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  async fetch(request: Request): Promise<Response> {
    const [, suite = ''] = new URL(request.url).pathname.split('/');
    const { storage } = this.#context;
    const suites = objectSuites({ sql: storage.sql, storage });
    const register = suites[suite];
    return register === undefined
      ? new Response(null, { status: 404 })
      : Response.json(await runSuite(register));
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.OBJECTS.getByName(new URL(request.url).pathname).fetch(request),
};
