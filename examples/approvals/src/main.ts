// Runs the three processes one after the other, then checks what the booking tool did.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'helix-approvals-'));
try {
  await act(
    '1. An agent asks a browser for a seat, its sub-agent asks to book a hotel',
    new URL('1-start.ts', import.meta.url),
  );
  await act(
    '2. Somebody else opens the inbox. All it is given is the database',
    new URL('2-answer.ts', import.meta.url),
  );
  await act(
    '3. A third process goes on where the first one stopped',
    new URL('3-resume.ts', import.meta.url),
  );
  check();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function act(title: string, script: URL): Promise<void> {
  console.log(`\n${title}`);
  const file = fileURLToPath(script);
  const child = spawn(process.execPath, [...process.execArgv, file, folder], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  if (code !== 0) throw new Error(`${file} ended with code ${code}.`);
  console.log(`   process ${child.pid} is gone`);
}

/** The tool writes a line each time it runs. */
function check(): void {
  const lines = readFileSync(join(folder, 'bookings.jsonl'), 'utf8').trim().split('\n');
  const [booking] = lines.map((line) => JSON.parse(line) as { nights: number; total: number });
  const ok = lines.length === 1 && booking?.nights === 3 && booking.total === 720;
  console.log(`\n${ok ? '✓' : '✗'} booked ${lines.length} time: ${lines.join(' ')}`);
  if (!ok) process.exitCode = 1;
}
