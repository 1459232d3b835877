// Process 2: answers what it finds in the inbox. It knows no session, and it cannot run an agent: its model refuses.
//   node 2-answer.ts <folder>
import {
  createHelix,
  functionModel,
  HelixError,
  type JsonObject,
  type JsonValue,
  type OpenCallRow,
} from '@helix-agents/sdk';
import { createTravelDesk } from './agents.ts';
import { databaseIn } from './database.ts';

const [folder = '.'] = process.argv.slice(2);
const helix = createHelix({
  model: functionModel(() => {
    throw new Error('This process only answers.');
  }),
  database: databaseIn(folder),
  // For the schemas: answers and edited input are checked before they are stored.
  agents: [createTravelDesk(folder)],
  recoverEveryMs: false,
});

const { items: inbox } = await helix.executor.listOpenCalls();
for (const call of inbox) {
  const wish = call.kind === 'approval' ? 'asks to approve' : 'asks the client for';
  console.log(`   ${call.ownerAgentType} ${wish} ${call.toolName} ${JSON.stringify(call.input)}`);
  console.log(`     for user ${call.userId}, due ${dueIn(call)}`);
}

const seat = find('client');
await answer('the traveller picks 14C', seat, { result: { seat: '14C' } });
await answer('the browser sends it again', seat, { result: { seat: '14C' } });

const booking = find('approval');
const proposed = booking.input as JsonObject;
await approve('the reviewer types 0 nights', booking, { ...proposed, nights: 0 });
const { items: stillOpen } = await helix.executor.listOpenCalls();
console.log(`     still open: ${stillOpen.map((call) => call.toolName).join(', ')}`);
await approve('the reviewer approves 3 nights instead of 5', booking, { ...proposed, nights: 3 });

await helix.close();

function find(kind: OpenCallRow['kind']): OpenCallRow {
  const call = inbox.find((one) => one.kind === kind);
  if (!call) throw new Error(`There is no open call of kind ${kind}.`);
  return call;
}

async function approve(what: string, call: OpenCallRow, input: JsonValue): Promise<void> {
  await answer(what, call, { kind: 'approval-response', approved: true, input });
}

/** The address of every call is the root session, however deep the agent that asks. */
async function answer(
  what: string,
  { rootId, toolCallId }: OpenCallRow,
  given:
    | { readonly result: JsonValue }
    | { readonly kind: 'approval-response'; readonly approved: boolean; readonly input: JsonValue },
): Promise<void> {
  const address = { sessionId: rootId, toolCallId };
  try {
    const { status } = await helix.submitToolResult(
      'kind' in given
        ? { ...address, ...given }
        : { ...address, kind: 'client-tool-result', ...given },
      { answeredBy: 'grace' },
    );
    console.log(`   ${what}: ${status}`);
  } catch (error) {
    if (!HelixError.isInstance(error)) throw error;
    console.log(`   ${what}: refused, ${error.code}`);
  }
}

function dueIn({ deadlineAt, openedAt }: OpenCallRow): string {
  if (deadlineAt === null) return 'never';
  const minutes = Math.round((deadlineAt - openedAt) / 60_000);
  return minutes < 1_440 ? `${minutes} min after asking` : `${minutes / 1_440} days after asking`;
}
