import type { D1Like, ObjectStoreOptions } from '@helix-agents/store-cloudflare';
import { runSuite } from './run-suite.ts';
import { d1Suites, objectSuites } from './suites.ts';

interface Env {
  readonly DB: D1Like;
  readonly OBJECTS: {
    getByName(name: string): { fetch(request: Request): Promise<Response> };
  };
}

interface ObjectContext {
  readonly storage: ObjectStoreOptions['storage'] & { readonly sql: ObjectStoreOptions['sql'] };
}

export class Suites {
  readonly #context: ObjectContext;
  readonly #env: Env;

  constructor(context: ObjectContext, env: Env) {
    this.#context = context;
    this.#env = env;
  }

  async fetch(request: Request): Promise<Response> {
    const [, where, suite = ''] = new URL(request.url).pathname.split('/');
    const { storage } = this.#context;
    const suites =
      where === 'd1' ? d1Suites(this.#env.DB) : objectSuites({ sql: storage.sql, storage });
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
