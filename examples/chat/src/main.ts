// `npm start`: builds the page, keeps a server alive, opens the browser. Without a terminal it plays a person and ends.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './build-page.ts';
import { playTrip, sayHello } from './play.ts';
import { superviseServer } from './supervisor.ts';

const attended = process.stdin.isTTY === true && process.stdout.isTTY === true;
const folder = attended ? '.helix/chat' : mkdtempSync(join(tmpdir(), 'helix-chat-'));
mkdirSync(folder, { recursive: true });

const page = await buildPage();
const server = await superviseServer(
  join(folder, 'chat.db'),
  page,
  (pid) => console.log(`  The server died. Process ${pid} takes over; nothing is lost.`),
  Number(process.env['PORT'] ?? 0),
);
console.log(
  `\n  Helix Agents: a chat that survives everything\n\n  ${server.url}\n\n  ${server.model}`,
);

if (attended) {
  console.log(
    `  Conversations are kept in ${folder}. Ctrl+C ends it. The terminal demo: npm run demo\n`,
  );
  openBrowser(server.url);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => void server.close().then(() => process.exit(0)));
  }
} else {
  await playUnattended();
}

/** Nobody to talk to: the same things happen, and it ends. Its exit code says whether they went well. */
async function playUnattended(): Promise<void> {
  const say = (line: string): void => console.log(`    ${line}`);
  console.log(
    '  No terminal here, so the demo plays the person. In a terminal it opens your browser.\n',
  );
  try {
    if (server.scripted) await playTrip(server.url, say);
    else say(`the model says: ${await sayHello(server.url)}`);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  await server.close();
}

function openBrowser(url: string): void {
  const command = { darwin: 'open', win32: 'start' }[process.platform as string] ?? 'xdg-open';
  const opened = spawn(command, [url], {
    stdio: 'ignore',
    detached: true,
    shell: process.platform === 'win32',
  });
  // No browser here: the address above is enough.
  opened.on('error', () => undefined);
  opened.unref();
}
