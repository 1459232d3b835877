// Runs publint over every package that can be published. Needs a build.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = join(import.meta.dirname, '..');
let problems = 0;

for (const file of globSync('packages/*/package.json', { cwd: root }).sort()) {
  const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
  if (manifest.private) continue;
  const { messages } = await publint({ pkgDir: join(root, dirname(file)), strict: true });
  const serious = messages.filter((message) => message.type !== 'suggestion');
  for (const message of serious) {
    console.error(`${manifest.name}: ${formatMessage(message, manifest)}`);
  }
  problems += serious.length;
  if (serious.length === 0) console.log(`✓ ${manifest.name}`);
}

process.exitCode = problems === 0 ? 0 : 1;
