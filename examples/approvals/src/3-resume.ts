// Process 3: goes on with every session that has all its answers, and prints the transcripts.
//   node 3-resume.ts <folder>
import { createHelix, openSqlite, type Message } from '@helix-agents/sdk';
import { createTravelDesk } from './agents.ts';
import { databaseIn } from './database.ts';
import { scriptedModel } from './model.ts';

const [folder = '.'] = process.argv.slice(2);
const stores = openSqlite(databaseIn(folder));
const helix = createHelix({
  model: scriptedModel,
  database: stores,
  agents: [createTravelDesk(folder)],
  recoverEveryMs: false,
});

const { answered } = await helix.executor.sweep();
for (const sessionId of answered) {
  const handle = await helix.resume(sessionId);
  const { status } = await handle.result();
  console.log(`   the run ended: ${status}`);
}

const { items: sessions } = await helix.executor.listSessions({ rootsOnly: false });
for (const { sessionId, agentType } of sessions) {
  console.log(`   ${agentType}`);
  for (const message of await stores.stateStore.getAllMessages(sessionId)) print(message);
}
await helix.close();

function print(message: Message): void {
  if (message.content !== '') console.log(`     ${message.role}: ${message.content}`);
  if (message.role === 'assistant') {
    for (const call of message.toolCalls ?? []) {
      console.log(`       calls ${call.name}, proposed ${JSON.stringify(call.arguments)}`);
    }
  }
  if (message.role === 'tool' && message.executedInput !== undefined) {
    console.log(`       ran with ${JSON.stringify(message.executedInput)}`);
  }
}
