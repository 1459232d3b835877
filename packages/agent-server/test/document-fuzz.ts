import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import fc from 'fast-check';
import { AgentServer, type OpenApiOperation } from '../src/index.ts';
import { agents, scripted } from './agents.ts';
import { standInChat } from './chat-stand-in.ts';
import { checkAnswer } from './check-answer.ts';
import { answerWithin, readSome, type FuzzReport } from './fuzz.ts';
import { othersThan, valuesOf, type Hints, type Schema } from './schema-values.ts';

const KEY = 'operator';
const HINTS: Hints = {
  sessionId: ['asked', 'done', 'nobody'],
  id: ['asked', 'done'],
  agentType: Object.keys(agents),
  toolCallId: ['color', 'pay'],
  message: ['hello', 'color'],
  after: ['0', '1'],
  'Last-Event-ID': ['', '1'],
};

/**
 * Every operation of the OpenAPI document, with requests made of its schemas: what they describe, and what they do not.
 * Nothing may be answered that the document does not say, and what it does not describe must be refused.
 */
export async function runDocumentFuzz(options: {
  readonly seed: number;
  readonly runsPerOperation: number;
}): Promise<FuzzReport> {
  const stores = openSqlite(':memory:', { pollMs: 5 });
  const executor = new JSAgentExecutor({ ...stores, llmAdapter: scripted, agentRegistry: agents });
  const server = new AgentServer({
    agents,
    executor,
    ...stores,
    ...standInChat,
    rateLimit: false,
    authenticate: ({ headers }) =>
      headers['authorization'] === `Bearer ${KEY}` && { ok: true, principal: { access: 'all' } },
  });
  const statuses = new Map<number, number>();
  const check = async (sent: Sent): Promise<void> => {
    const answer = await answerWithin(server, sent.request());
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const whole = new Response((await readSome(answer)) || null, answer);
    await checkAnswer(server.openApi, sent, whole);
    if (answer.status >= 500) throw new Error(`a server error: ${answer.status}`);
    if (!sent.isDescribed && answer.status !== 400)
      throw new Error(`answered ${answer.status}, although no schema describes it`);
  };
  try {
    for (const [sessionId, wish] of Object.entries({ asked: 'both', done: 'hello' })) {
      const painter = agents['painter'] as (typeof agents)[string];
      await (await executor.execute(painter, wish, { sessionId })).result();
    }
    for (const [path, methods] of Object.entries(server.openApi.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const details = await fc.check(
          fc.asyncProperty(requestsTo(path, method.toUpperCase(), operation), check),
          { seed: options.seed, numRuns: options.runsPerOperation },
        );
        if (!details.failed) continue;
        const { errorInstance, counterexample, counterexamplePath } = details;
        const where = `${method} ${path}, seed ${options.seed}, path ${counterexamplePath}`;
        const fault = `${String(errorInstance)} (${where}): ${JSON.stringify(counterexample)}`;
        return { statuses, fault };
      }
    }
    return { statuses, fault: null };
  } finally {
    await server.close({ graceMs: 100 });
    await executor.shutdown({ graceMs: 0 });
    stores.close();
  }
}

/** A request to an operation, and whether the document describes it. */
interface Sent {
  readonly method: string;
  /** As the document has it. */
  readonly path: string;
  readonly isDescribed: boolean;
  readonly given: Given;
  readonly content: unknown;
  readonly request: () => Request;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

function requestsTo(
  path: string,
  method: string,
  { parameters, requestBody }: OpenApiOperation,
): fc.Arbitrary<Sent> {
  const known = parameters as unknown as readonly Parameter[];
  const body = bodySchema(requestBody);
  const described = fc.record({
    given: parametersOf(known),
    body: body ? valuesOf(body, HINTS) : fc.constant(undefined),
    isDescribed: fc.constant(true),
  });
  const wrongBody =
    body &&
    fc.record({
      given: parametersOf(known),
      body: othersThan(body, HINTS),
      isDescribed: fc.constant(false),
    });
  const wrongQuery = known.some((each) => each.in === 'query' && hasLimits(each.schema)) && [
    fc.record({
      given: wrongParametersOf(known),
      body: body ? valuesOf(body, HINTS) : fc.constant(undefined),
      isDescribed: fc.constant(false),
    }),
  ];
  const all = [described, ...(wrongBody ? [wrongBody] : []), ...(wrongQuery || [])];
  return fc.oneof(...all).map(({ given, body: content, isDescribed }) => ({
    method,
    path,
    isDescribed,
    given,
    content,
    request: () => toRequest(path, method, known, given, content),
  }));
}

function bodySchema(requestBody: OpenApiOperation['requestBody']): Schema | undefined {
  const content = requestBody?.['content'] as { [type: string]: { schema: Schema } } | undefined;
  return content?.['application/json']?.schema;
}

type Given = { readonly [name: string]: unknown };

function parametersOf(known: readonly Parameter[]): fc.Arbitrary<Given> {
  const values = known.map(({ name, schema }) => [name, valuesOf(schema, HINTS, name)]);
  const requiredKeys = known.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(values) as { [name: string]: fc.Arbitrary<unknown> }, {
    requiredKeys,
  }) as fc.Arbitrary<Given>;
}

/** One of the query has a value that its schema does not describe. */
function wrongParametersOf(known: readonly Parameter[]): fc.Arbitrary<Given> {
  const limited = known.filter((each) => each.in === 'query' && hasLimits(each.schema));
  return fc.constantFrom(...limited).chain(({ name, schema }) => {
    const wrong = othersThan(schema, HINTS).filter((value) => typeof value === 'string');
    return fc
      .tuple(parametersOf(known), wrong)
      .map(([given, value]) => ({ ...given, [name]: value }));
  });
}

function hasLimits({ pattern, enum: values, minLength = 0 }: Schema): boolean {
  return pattern !== undefined || values !== undefined || minLength > 0;
}

function toRequest(
  path: string,
  method: string,
  known: readonly Parameter[],
  given: Given,
  body: unknown,
): Request {
  const headers = new Headers({ authorization: `Bearer ${KEY}` });
  const query = new URLSearchParams();
  let bare = path;
  for (const { name, in: place } of known) {
    const value = given[name];
    if (typeof value !== 'string') continue;
    if (place === 'path') bare = bare.replace(`{${name}}`, pathSegment(value));
    else if (place === 'query') query.set(name, value);
    else headers.set(name, value);
  }
  if (body !== undefined) headers.set('content-type', 'application/json');
  return new Request(`http://server${bare}?${query.toString()}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Dots alone are no name of their own in an address. */
function pathSegment(value: string): string {
  return encodeURIComponent(/^\.{1,2}$/.test(value) ? 'dots' : value.toWellFormed());
}
