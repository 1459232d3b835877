// `npm start`: builds the page, keeps a server alive, opens the browser. Without a terminal it checks itself and ends.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './build-page.ts';
import { checkConversation } from './self-check.ts';
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
  process.on('SIGINT', () => void server.close().then(() => process.exit(0)));
} else {
  const said = await checkConversation(server.url);
  console.log(
    `\n  No terminal here, so this only checked itself: the page is served and the agent says`,
  );
  console.log(`  "${said}". Run it in a terminal to talk to it.\n`);
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
