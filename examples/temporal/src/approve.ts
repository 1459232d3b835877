// Terminal 3, minutes or weeks later: approves what is open, goes on, prints the end.
import { openExecutor } from './client.ts';

const { executor, close } = await openExecutor();
const { items } = await executor.listOpenCalls();
for (const { rootId: sessionId, toolCallId, toolName, input } of items) {
  const answer = { kind: 'approval-response', sessionId, toolCallId, approved: true } as const;
  const { status } = await executor.submitToolResult(answer, { answeredBy: 'grace' });
  console.log(`   client: approved ${toolName} ${JSON.stringify(input)}: ${status}`);
  const handle = await executor.resume(sessionId);
  const result = await handle.result();
  console.log(
    `   client: ${result.status === 'completed' ? String(result.output) : result.status}`,
  );
}
await close();
