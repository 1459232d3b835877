// Argument: the file. Tries 500 conditional commits on what it reads and prints the versions it won.
import { messageRow } from '@helix-agents/testing/rows';
import { openSqlite } from '../../src/index.ts';
import { planOf } from '../rows.ts';

const { stateStore, close } = openSqlite(process.argv[2]!, { synchronous: 'normal' });
const won: number[] = [];
for (let tries = 0; tries < 500; tries += 1) {
  const session = (await stateStore.sessions.readSession({ rootId: 's1', sessionId: 's1' }))!;
  // Let the other process in between reading and writing, at random.
  if (Math.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
  const plan = planOf({
    guard: { sessions: [{ sessionId: 's1', version: session.version }] },
    insert: { messages: [messageRow(session.version)] },
  });
  if (await stateStore.sessions.commit(plan)) won.push(session.version);
}
close();
process.stdout.write(JSON.stringify(won));
