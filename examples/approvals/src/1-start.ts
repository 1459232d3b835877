// Process 1: starts the agent and exits as soon as it waits for people.
//   node 1-start.ts <folder>
import { createHelix } from '@helix-agents/sdk';
import { createTravelDesk } from './agents.ts';
import { databaseIn } from './database.ts';
import { scriptedModel } from './model.ts';

const [folder = '.'] = process.argv.slice(2);
const travelDesk = createTravelDesk(folder);
const helix = createHelix({ model: scriptedModel, database: databaseIn(folder) });

const handle = await helix.run(travelDesk, 'Five nights in Lisbon, please.', { userId: 'ada' });
const result = await handle.result();
console.log(`   the run ended: ${result.status}`);
if ('suspended' in result) {
  console.log(`   it waits for ${result.suspended.toolCallIds.length} calls`);
}
await helix.close();
