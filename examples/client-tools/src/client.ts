// The user's machine. SERVER may be set to where the server is.
import { AgentClient, AgentServerError } from '@helix-agents/agent-server/client';

const baseUrl = process.env['SERVER'] ?? 'http://127.0.0.1:3000';
const papers = ['lease.pdf', 'passport.jpg', 'taxes.pdf'];
let isFirst = true;

/** What the agent may use of this machine, by the names of its client tools. */
const tools: { readonly [name: string]: () => unknown } = {
  // Of the wrong shape at first, to show what happens then.
  list_files: () => (isFirst ? papers : { files: papers }),
  read_clock: () => ({ timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
};

const started = await new AgentClient({ baseUrl }).start({
  agentType: 'archivist',
  message: 'What do I have?',
});
const { sessionId, token = '' } = started;
const client = new AgentClient({ baseUrl, token });

let after = 0;
let status = await readStream();
// It ended because it waits for answers, and all of them are there now.
while (status === 'suspended_client_tool') {
  await client.resume({ sessionId });
  status = await readStream();
}
console.log(`the run ended: ${status}`);

/** Answers what the agent asks for, until its run ends. */
async function readStream(): Promise<string | undefined> {
  for await (const event of client.stream(sessionId, { after })) {
    if (event.type === 'end') {
      if (typeof event.data.output === 'string')
        console.log(`the agent says: ${event.data.output}`);
      return event.data.runStatus;
    }
    if (event.type !== 'chunk') continue;
    after = event.sequence;
    const { chunk } = event;
    if (chunk.type === 'tool_start' && chunk.execute === 'client') await answer(chunk);
  }
  return undefined;
}

async function answer(call: {
  readonly toolCallId: string;
  readonly toolName: string;
}): Promise<void> {
  const { toolCallId, toolName } = call;
  const run = tools[toolName];
  console.log(`the agent asks for ${toolName}`);
  try {
    const { status } = await client.submit(
      run
        ? { sessionId, toolCallId, result: run() }
        : { sessionId, toolCallId, error: `This client has no tool ${toolName}.` },
    );
    console.log(`  answered: ${status}`);
  } catch (error) {
    if (!(error instanceof AgentServerError) || error.code !== 'INVALID_RESULT') throw error;
    console.log(`  refused, the call is still open: ${error.code}`);
    isFirst = false;
    await answer(call);
  }
}
