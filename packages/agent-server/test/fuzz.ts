import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { AgentServer } from '../src/index.ts';
import { CANARY } from './agents.ts';
import { checkAnswer } from './check-answer.ts';
import { everyRoute } from './every-route.ts';

/** Far more than a slow machine takes. */
const HANG_MS = 300_000;
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'] as const;

interface Attack {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

const ids = fc.oneof(
  fc.constantFrom<string>('mine', 'victim', 'nobody', '', '.', '..', '%', '\0', '\r\n', '*', ':'),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    'victim\0',
    'VICTIM',
    'victim ',
    'vıctim',
    '../victim',
    'mine/../victim',
    '{sessionId}',
  ),
);
const json = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(null, true, {}, []));

/** Fields that routes read, with what they want and what they do not. */
const fields: { readonly [name: string]: fc.Arbitrary<unknown> } = {
  sessionId: fc.oneof(ids, json),
  id: fc.oneof(ids, json),
  toolCallId: fc.oneof(fc.constantFrom('color', 'pay'), ids, json),
  agentType: fc.oneof(fc.constantFrom('painter', 'desk', 'constructor'), ids, json),
  message: fc.oneof(fc.constantFrom('hello', 'color'), json),
  messages: fc.oneof(fc.array(json, { maxLength: 3 }), json),
  kind: fc.oneof(fc.constantFrom('client-tool-result', 'approval-response'), json),
  result: json,
  error: fc.oneof(fc.string(), json),
  approved: fc.oneof(fc.boolean(), json),
  approvalId: fc.oneof(ids, json),
  reason: fc.oneof(fc.string(), json),
  input: json,
  state: json,
  metadata: json,
  tags: json,
  retry: json,
  onMessageWhileSuspended: fc.oneof(fc.constantFrom('reject', 'supersede'), json),
  __proto__: json,
};
const goodBody = fc.record(fields, { requiredKeys: [] });
const bodies = fc.oneof(
  { weight: 6, arbitrary: goodBody.map((body) => JSON.stringify(body)) },
  { weight: 2, arbitrary: json.map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 500 }) },
  { weight: 1, arbitrary: goodBody.map((body) => JSON.stringify(body).slice(0, -2)) },
);

const QUERY_NAMES =
  'sessionId after status agentType userId tag limit cursor kind toolName dueBefore messagesOffset messagesLimit __proto__';
const queryNames = fc.constantFrom(...QUERY_NAMES.split(' '));
const queryValues = fc.oneof(
  ids,
  fc.constantFrom(
    '0',
    '1',
    '-1',
    '200',
    '201',
    '1e9',
    'NaN',
    'active',
    'completed',
    'client',
    '[1,"x"]',
    '[1,"x","y","z"]',
    '[null]',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const queries = fc.array(fc.tuple(queryNames, queryValues), { maxLength: 4 });

const headers = fc.array(
  fc.tuple(
    fc.constantFrom(
      'last-event-id',
      'content-type',
      'content-length',
      'transfer-encoding',
      'origin',
      'sec-fetch-site',
      'cookie',
      'authorization',
      'x-resume-from-sequence',
      'accept',
      'x-forwarded-for',
      'if-none-match',
      'range',
    ),
    fc.oneof(
      fc.constantFrom(
        '0',
        '1',
        '99',
        '-1',
        'abc',
        'application/json',
        'text/plain',
        'chunked',
        'null',
        'http://server',
        'Bearer x',
        'Bearer hs1.e30.e30',
        'cross-site',
      ),
      fc.string({ minLength: 1, maxLength: 60 }),
    ),
  ),
  { maxLength: 3 },
);

const paths = fc.oneof(
  {
    weight: 12,
    arbitrary: ids.chain((id) =>
      fc.constantFrom(...everyRoute(well(id)).map(({ path }) => path.split('?')[0] as string)),
    ),
  },
  { weight: 1, arbitrary: fc.webPath() },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }).map((text) => `/${text}`) },
);

const wild: fc.Arbitrary<Attack> = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constant('route') },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  ),
  path: fc.tuple(paths, queries).map(([path, query]) => withQuery(path, query)),
  headers,
  body: fc.option(bodies, { nil: undefined }),
});

/** What a client sends, with at most two things about it changed. */
const nearlyRight: fc.Arbitrary<Attack> = fc
  .record({
    call: fc
      .oneof(
        { weight: 4, arbitrary: fc.constantFrom('mine', 'victim', 'nobody') },
        { weight: 1, arbitrary: ids },
      )
      .chain((id) => fc.constantFrom(...everyRoute(well(id)))),
    changes: fc.record(fields, { requiredKeys: [] }).map((all) => Object.entries(all).slice(0, 2)),
    isChanged: fc.boolean(),
    query: fc.oneof(fc.constant([]), queries),
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: headers }),
  })
  .map(({ call, changes, isChanged, query, headers: sent }) => {
    const body = { ...call.body, ...Object.fromEntries(isChanged ? changes : []) };
    return {
      method: call.method,
      path: withQuery(call.path, query),
      headers: sent,
      body: call.body && JSON.stringify(body),
    };
  });

export const attacks: fc.Arbitrary<Attack> = fc.oneof(nearlyRight, wild);

function withQuery(path: string, query: readonly (readonly [string, string])[]): string {
  const text = query.map(([name, value]) => `${name}=${encodeURIComponent(well(value))}`).join('&');
  if (text === '') return path;
  return path + (path.includes('?') ? '&' : '?') + text;
}

export interface FuzzReport {
  /** How often each status was answered. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What was broken, with the seed and path that show it again; null: nothing. */
  readonly fault: string | null;
}

export interface Attacker {
  readonly token: string;
  /** Whether the canary is this one's to see. */
  readonly mayKnow: boolean;
}

/** Throws on a 5xx, a hang, an answer that is not in the document, or a canary of somebody else. */
export async function attack(
  server: AgentServer,
  { token, mayKnow }: Attacker,
  sent: Attack,
): Promise<number> {
  const request = toRequest(sent, token);
  if (!request) return 0;
  const { pathname } = new URL(request.url);
  const answer = await answerWithin(server, request);
  const { status } = answer;
  if (status >= 500) throw new Error(`${status}: ${await answer.text()}`);
  const text = await readSome(answer);
  if (!mayKnow && text.includes(CANARY))
    throw new Error(`the canary of another session: ${text.slice(0, 300)}`);
  const isPlain = answer.headers.get('content-type')?.startsWith('application/json');
  const isKnown = server.handles(pathname) && ![404, 405].includes(status);
  if (isPlain && isKnown && ['GET', 'POST'].includes(request.method)) {
    const call = { method: request.method, path: pathname };
    await checkAnswer(
      server.openApi,
      call,
      new Response(text, { status, headers: answer.headers }),
    );
  }
  return status;
}

export async function answerWithin(server: AgentServer, request: Request): Promise<Response> {
  const abort = new AbortController();
  const late = delay(HANG_MS, null, { signal: abort.signal }).catch(() => null);
  const answer = await Promise.race([server.fetch(request), late]);
  abort.abort();
  if (!answer) throw new Error(`no answer within ${HANG_MS} ms`);
  return answer;
}

function toRequest({ method, path, headers: sent, body }: Attack, token: string): Request | null {
  const own = method === 'route' ? methodOf(path) : method;
  const withBody = !['GET', 'HEAD'].includes(own) && body !== undefined;
  try {
    const all = new Headers({ authorization: `Bearer ${token}` });
    if (withBody) all.set('content-type', 'application/json');
    for (const [name, value] of sent) all.set(name, value);
    return new Request(`http://server${path}`, {
      method: own,
      headers: all,
      ...(withBody && { body }),
    });
  } catch {
    // Not a request that could be sent at all.
    return null;
  }
}

function methodOf(path: string): string {
  const [bare = ''] = path.split('?');
  const posts =
    /^\/(start|resume|interrupt|abort|submit-tool-result|chat)$|^\/chat\/.*\/(submit-tool-result|interrupt|abort)$/;
  return posts.test(bare) ? 'POST' : 'GET';
}

/** A stream of a session that runs has no end. */
export async function readSome(answer: Response): Promise<string> {
  if (!answer.body) return '';
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer.text();
  const reader = answer.body.getReader();
  let text = '';
  for (let reads = 0; reads < 3; reads += 1) {
    const { done, value } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  await reader.cancel();
  return text;
}

/** Half a surrogate pair cannot be encoded. */
function well(text: string): string {
  return text.toWellFormed();
}
