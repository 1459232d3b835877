// Starts a run whose slow tool would take a minute, and says so when the quick one is done.
import { createHelix } from '../../src/index.ts';
import { createAssistant, model } from './assistant.ts';

const [database = '', ledger = '', leaseMs = '15000'] = process.argv.slice(2);
const helix = createHelix({
  model,
  database,
  leaseMs: Number(leaseMs),
  handleSignals: true,
  shutdownGraceMs: 50,
});
const handle = await helix.run(createAssistant(ledger, 60_000), 'Go', { sessionId: 's' });
for await (const chunk of (await handle.stream()) ?? []) {
  if (chunk.type === 'tool_end') process.stdout.write(`${chunk.toolName} done\n`);
}
process.stdout.write('stream closed\n');
