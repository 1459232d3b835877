// If this fails: somebody who made a usual mistake is told something that does not help.
import { openPostgres } from '@helix-agents/store-postgres';
import { createPostgresDatabase, describeServer, freePort } from '@helix-agents/test-servers';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createHelix,
  createSubAgentTool,
  defineAgent,
  defineTool,
  functionModel,
  HelixError,
  JSAgentExecutor,
  type Helix,
  type HelixOptions,
} from '../src/index.ts';
import { z } from 'zod';

const folder = mkdtempSync(join(tmpdir(), 'helix-mistakes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const agent = defineAgent({
  name: 'support',
  systemPrompt: 'You help.',
  llmConfig: { model: 'scripted' },
});
const model = functionModel(() => ({ type: 'text', content: 'Done.', shouldStop: true }));

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  execute: () => 'paid',
});
const teller = defineAgent({
  name: 'teller',
  systemPrompt: 'You pay.',
  outputSchema: z.object({ done: z.boolean() }),
});
const aCall = { sessionId: 's1', toolCallId: 'c1' };
const CLOSED =
  'The SQLite database was closed; what was stored is kept. Open it again, or close it last.';

interface Mistake {
  readonly mistake: string;
  readonly make: () => unknown;
  readonly code: string;
  readonly says: string;
}

const mistakes: readonly Mistake[] = [
  {
    mistake: 'a session of another store in memory',
    make: async () => {
      await (await open({}).run(agent, 'Hello', { sessionId: 's1' })).result();
      await open({}).resume(agent, 's1');
    },
    code: 'session_not_found',
    says:
      'There is no session s1 in this store; check the id, and that this process uses the database in which it was started. ' +
      'Two stores in memory (":memory:") share nothing.',
  },
  {
    mistake: 'an agent that this process was not told of',
    make: async () => {
      const database = join(folder, 'registry.db');
      const first = open({ database, agents: [agent] });
      await (await first.run(agent, 'Hello', { sessionId: 's1' })).result();
      await open({ database }).resume('s1');
    },
    code: 'agent_not_found',
    says:
      'No agent "support" is known in this process; name it at the start, as in createHelix({ agents: [agent] }) or ' +
      'AgentRegistry.register(agent), or hand the agent itself to the call.',
  },
  {
    mistake: 'a database in a folder that is not there',
    make: () => open({ database: join(folder, 'nope', 'x.db') }),
    code: 'store_open_failed',
    says: `Cannot open the SQLite file ${folder}/nope/x.db: the folder ${folder}/nope does not exist; create it first.`,
  },
  {
    mistake: 'a folder as the database',
    make: () => {
      mkdirSync(join(folder, 'data'));
      open({ database: join(folder, 'data') });
    },
    code: 'store_open_failed',
    says: `Cannot open the SQLite file ${folder}/data: it is a folder; name a file in it.`,
  },
  {
    mistake: 'a file that is no database',
    make: () => {
      writeFileSync(join(folder, 'notes.txt'), 'Buy milk. '.repeat(100));
      open({ database: join(folder, 'notes.txt') });
    },
    code: 'store_open_failed',
    says: `Cannot open the SQLite file ${folder}/notes.txt: it is not an SQLite database; name another file.`,
  },
  ...[
    { given: null, is: 'null' },
    { given: 'support', is: 'the text "support"' },
  ].map(({ given, is }) => ({
    mistake: `${is} as the agent of a run`,
    make: () => open({}).run(given as never, 'Hello'),
    code: 'definition_invalid',
    says: `An agent is needed, and ${is} was given; make one with defineAgent({ name, systemPrompt, … }).`,
  })),
  {
    mistake: 'an agent that defineAgent did not make',
    make: () => open({}).run({ name: 'support', systemPrompt: 'You help.' } as never, 'Hello'),
    code: 'definition_invalid',
    says: 'Agent "support" was not made by defineAgent: it has no `llmConfig`; make it with defineAgent({ name, systemPrompt, … }).',
  },
  {
    mistake: 'half an agent as that of a chat',
    make: () => open({}).chat({ name: 'support' } as never),
    code: 'definition_invalid',
    says: 'Agent "support": `systemPrompt` must be a string or a function of the state.',
  },
  {
    mistake: 'a gate by another name, in an agent that was spread',
    make: () => {
      const tool = { ...pay, needsApproval: true };
      return open({}).run({ ...agent, tools: [tool] }, 'Hello');
    },
    code: 'definition_invalid',
    says: 'Agent "support", tool "pay": `needsApproval` is not an option of defineTool; did you mean `requireApproval`?',
  },
  {
    mistake: 'a gate by another name, in a sub-agent of an agent that was registered',
    make: () => {
      const helper = { ...teller, tools: [{ ...pay, needsApproval: true }] };
      const caller = createSubAgentTool(teller, z.object({}));
      const tools = [{ ...caller, subAgent: { agent: helper } }];
      return open({ agents: { support: { ...agent, tools } } });
    },
    code: 'definition_invalid',
    says: 'Agent "teller", tool "pay": `needsApproval` is not an option of defineTool; did you mean `requireApproval`?',
  },
  {
    mistake: 'a run without a message',
    make: () => open({}).run(agent, undefined as never),
    code: 'INVALID_REQUEST',
    says: invalid('input: give the user message as a text, or { message, state }'),
  },
  {
    mistake: 'a state for an agent that has no stateSchema',
    make: () => open({}).run(agent, { message: 'Hello', state: { customer: 'Ada' } }),
    code: 'INVALID_REQUEST',
    says: invalid(
      'state: the agent "support" has no stateSchema; give it one with these fields, or leave the state out',
    ),
  },
  ...[{}, true, null].map((logger) => ({
    mistake: `${JSON.stringify(logger)} as the logger`,
    make: () => open({ logger: logger as never }),
    code: 'definition_invalid',
    says: '`logger` must be an object with the methods info, warn and error, as console, pino, winston and bunyan are, and this one lacks info, warn, error; leave it out for the default.',
  })),
  {
    mistake: 'an option of an executor that does not exist',
    make: () => {
      const { stateStore, streamManager } = open({}).stores;
      const options = { stateStore, streamManager, llmAdapter: model, agents: [agent] };
      return new JSAgentExecutor(options);
    },
    code: 'definition_invalid',
    says: 'JSAgentExecutor: `agents` is not an option of JSAgentExecutor; did you mean `agentRegistry`?',
  },
  {
    mistake: 'nothing given to an executor',
    make: () => new JSAgentExecutor(undefined as never),
    code: 'INVALID_REQUEST',
    says: invalid('constructor: needs a state store, a stream manager and a model adapter'),
  },
  {
    mistake: 'a retry of a session that has not failed',
    make: async () => {
      const helix = open({});
      await (await helix.run(agent, 'Hello', { sessionId: 's1' })).result();
      await helix.retry(agent, 's1');
    },
    code: 'session_not_resumable',
    says: 'Session s1 cannot be retried: it has not failed (completed); send a message to start its next turn.',
  },
  {
    mistake: 'a message that is nothing',
    make: () => open({}).run(agent, { message: [null as never] }),
    code: 'INVALID_REQUEST',
    says: invalid('message.0: must be { role: "user", content: string }'),
  },
  {
    mistake: 'a session id in the place of the options',
    make: () => open({}).run(agent, 'Hello', 's1' as never),
    code: 'INVALID_REQUEST',
    says: expect.stringMatching(
      /options of helix\.run must be an object with some of sessionId, /,
    ) as string,
  },
  {
    mistake: 'an unknown option of a run',
    make: () => open({}).run(agent, 'Hello', { session: 's1' } as never),
    code: 'INVALID_REQUEST',
    says: invalid('session: is not an option of helix.run; did you mean `sessionId`?'),
  },
  {
    mistake: 'an unknown filter of the inbox',
    make: () => open({}).inbox({ tool: 'pay' } as never),
    code: 'INVALID_REQUEST',
    says: invalid('tool: is not an option of helix.inbox; did you mean `toolName`?'),
  },
  ...[undefined, null, 'c1', {}].map((call) => ({
    mistake: `${JSON.stringify(call)} as the call that is approved`,
    make: () => open({}).approve(call as never),
    code: 'INVALID_REQUEST',
    says: invalid('call: give a call of helix.inbox(), or { sessionId, toolCallId }'),
  })),
  {
    mistake: 'an option of another call given to an approval',
    make: () => open({}).approve(aCall, { maxResultBytes: 1 } as never),
    code: 'INVALID_REQUEST',
    says: invalid(
      'maxResultBytes: is not an option of helix.approve; it takes `input`, `reason`, `answeredBy`',
    ),
  },
  {
    mistake: 'a reason in the place of the options',
    make: () => open({}).deny(aCall, 'too much' as never),
    code: 'INVALID_REQUEST',
    says: invalid('the options must be an object with some of reason, answeredBy'),
  },
  ...(['inbox', 'sessions'] as const).map((call) => ({
    mistake: `helix.${call} after close`,
    make: async () => {
      const helix = open({});
      await helix.close();
      await helix[call]();
    },
    code: 'store_closed',
    says: CLOSED,
  })),
  {
    mistake: 'an answer after close',
    make: async () => {
      const helix = open({});
      await helix.close();
      await helix.deny(aCall);
    },
    code: 'store_closed',
    says: CLOSED,
  },
  {
    mistake: 'the address of a Postgres server as the database',
    make: () => open({ database: 'postgres://me:secret@localhost/app' }),
    code: 'definition_invalid',
    says: 'The path of an SQLite file is needed, and this is the address of a server; open it with openPostgres(new pg.Pool({ connectionString })) of @helix-agents/store-postgres.',
  },
  {
    mistake: 'the address of a Redis server as the database',
    make: () => open({ database: 'redis://localhost' }),
    code: 'definition_invalid',
    says: 'The path of an SQLite file is needed, and this is the address of a server; open it with openRedis(new Redis(url)) of @helix-agents/store-redis.',
  },
  {
    mistake: 'nothing as the database',
    make: () => open({ database: null as never }),
    code: 'definition_invalid',
    says: expect.stringContaining('`database` must be the path of an SQLite file') as string,
  },
  {
    mistake: 'the address of a server given to openPostgres',
    make: () => openPostgres('postgres://me:secret@localhost/app' as never),
    code: 'definition_invalid',
    says: 'A client is needed, and a text was given; connect with it: openPostgres(new pg.Pool({ connectionString })).',
  },
  ...['20.20.2', '22.19.0', '23.11.1', '24.6.0'].map((node) => ({
    mistake: `Node ${node}`,
    make: () => {
      vi.stubGlobal('process', Object.create(process, { versions: { value: { node } } }));
      onTestFinished(() => void vi.unstubAllGlobals());
      open({});
    },
    code: 'node_unsupported',
    says: `Helix Agents needs Node 22.20 or 24.7 or newer, and this is ${node}; install a newer Node and start again.`,
  })),
];

const postgresMistakes: readonly Mistake[] = [
  {
    mistake: 'a database that was not migrated',
    make: async () => {
      const { url } = await newDatabase();
      await openOn(url, { migrate: false }).run(agent, 'Hello');
    },
    code: 'store_schema_mismatch',
    says:
      'The database has no tables of Helix Agents: run `await openPostgres(pool).migrations.run()` at deploy, ' +
      'or open the store without `migrate: false`.',
  },
  {
    mistake: 'a server that is not running',
    make: async () => {
      const { url } = await newDatabase();
      await openOn(changed(url, { port: `${await freePort()}` })).run(agent, 'Hello');
    },
    code: 'store_unavailable',
    says: 'Postgres cannot be reached (ECONNREFUSED); nothing was written. Check that it is running and that its address is right.',
  },
  {
    mistake: 'a user that Postgres does not know',
    make: async () => {
      const { url } = await newDatabase();
      await openOn(changed(url, { username: 'nobody_here' })).run(agent, 'Hello');
    },
    code: 'store_refused',
    says: expect.stringMatching(
      /^Postgres refused the login: check the user and the password of the connection \(28(000|P01)\)\. Nothing was written\.$/,
    ) as string,
  },
  {
    mistake: 'a database that does not exist',
    make: async () => {
      const { url } = await newDatabase();
      await openOn(changed(url, { pathname: '/nowhere' })).run(agent, 'Hello');
    },
    code: 'store_refused',
    says:
      'Postgres has no database of that name: create it, or correct the name in the connection (3D000). ' +
      'Nothing was written.',
  },
];

describe('a mistake is answered with what to do', () => {
  it.for(mistakes)('$mistake', expectAnswer);
});

describeServer('postgres', () => {
  it.for(postgresMistakes)('a mistake is answered with what to do: $mistake', expectAnswer);
});

function invalid(issue: string): string {
  return `The request is not valid: ${issue}. Correct it and send it again.`;
}

async function expectAnswer({ make, code, says }: Mistake): Promise<void> {
  const error: unknown = await (async () => make())().catch((thrown: unknown) => thrown);
  expect(HelixError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ code });
  // Whatever call it was: `helix.run: …`.
  expect((error as Error).message.replace(/^helix\.\w+: /, '')).toEqual(says);
}

function open(options: Partial<HelixOptions>): Helix {
  const helix = createHelix({ model, database: ':memory:', recoverEveryMs: false, ...options });
  onTestFinished(() => helix.close());
  return helix;
}

function openOn(connectionString: string, options: { migrate?: boolean } = {}): Helix {
  const pool = new pg.Pool({ connectionString });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return open({ database: openPostgres(pool, options) });
}

async function newDatabase(): Promise<{ url: string }> {
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  return database;
}

function changed(
  url: string,
  parts: Partial<Record<'port' | 'username' | 'pathname', string>>,
): string {
  return Object.assign(new URL(url), parts).href;
}
