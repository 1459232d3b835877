import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { openSqlite } from '@helix-agents/store-sqlite';
import fc from 'fast-check';
import { AgentServer, createSessionTokens } from '../src/index.ts';
import { agents, CANARY, scripted } from './agents.ts';
import { standInChat } from './chat-stand-in.ts';
import { attack, attacks, type Attacker, type FuzzReport } from './fuzz.ts';

const VICTIM = 'victim';
const MINE = 'mine';

/** Odd requests of somebody who holds a token of one session, and of an operator, whose words reach every store. */
export async function runFuzz(options: {
  readonly seed: number;
  readonly runs: number;
}): Promise<FuzzReport> {
  const tokens = createSessionTokens({ secret: 'a-secret-of-the-fuzz-with-32-bytes-' });
  const stores = openSqlite(':memory:', { pollMs: 5 });
  const executor = new JSAgentExecutor({ ...stores, llmAdapter: scripted, agentRegistry: agents });
  const server = new AgentServer({
    agents,
    executor,
    ...stores,
    rateLimit: false,
    authenticate: tokens.authenticator(({ headers }) => headers['authorization'] === 'Bearer all'),
    ...standInChat,
  });
  const statuses = new Map<number, number>();
  const play = async (attacker: Attacker, runs: number): Promise<string | null> => {
    const property = fc.asyncProperty(attacks, async (sent) => {
      const status = await attack(server, attacker, sent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    const { failed, errorInstance, counterexample, counterexamplePath } = await fc.check(property, {
      seed: options.seed,
      numRuns: runs,
    });
    if (!failed) return null;
    const where = `seed ${options.seed}, path ${counterexamplePath}`;
    return `${String(errorInstance)} (${where}): ${JSON.stringify(counterexample)}`;
  };
  try {
    const painter = agents['painter'] as (typeof agents)[string];
    for (const [sessionId, wish] of Object.entries({ [VICTIM]: 'color', [MINE]: 'anything' })) {
      await (await executor.execute(painter, wish, { sessionId })).result();
    }
    const before = JSON.stringify(await stores.stateStore.loadState(VICTIM));
    if (!before.includes(CANARY)) throw new Error('the victim holds no canary');
    const { token } = await tokens.issue({ sessionId: MINE });
    const half = Math.ceil(options.runs / 2);
    let fault = await play({ token, mayKnow: false }, half);
    const after = JSON.stringify(await stores.stateStore.loadState(VICTIM));
    if (after !== before) fault ??= "the victim's session was changed";
    fault ??= await play({ token: 'all', mayKnow: true }, half);
    return { statuses, fault };
  } finally {
    await server.close({ graceMs: 100 });
    await executor.shutdown({ graceMs: 0 });
    stores.close();
  }
}
