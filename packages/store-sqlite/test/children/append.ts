// Arguments: the file, a name. Appends 100 chunks to the stream `s1`, one by one, then prints `done`.
import { openSqlite } from '../../src/index.ts';

const [file, name] = process.argv.slice(2) as [string, string];
const { streamManager, close } = openSqlite(file, { synchronous: 'normal' });
const base = { agentId: name, agentType: 'a', timestamp: 1, step: 1 };
for (let count = 1; count <= 100; count += 1) {
  await streamManager.append('s1', [{ chunk: { ...base, type: 'text_delta', delta: `${count}` } }]);
}
close();
process.stdout.write('done');
