// Terminal 2: asks the agent and shows what it does, until it is done or needs a person. Then nothing runs anywhere.
import { refundDesk } from './agent.ts';
import { openExecutor } from './client.ts';

const { executor, close } = await openExecutor();
const handle = await executor.execute(refundDesk, 'Order 42 arrived broken.');
for await (const chunk of handle) {
  if (chunk.type === 'tool_start') console.log(`   agent: calls ${chunk.toolName}`);
  if (chunk.type === 'tool_approval_request') {
    console.log(`   agent: may I ${chunk.toolName} ${JSON.stringify(chunk.input)}?`);
  }
}
const { status } = await handle.result();
console.log(`   client: session ${handle.sessionId} is ${status}`);
await close();
