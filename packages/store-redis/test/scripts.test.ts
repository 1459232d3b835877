import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = new URL('../src/', import.meta.url).pathname;

// Decoding and encoding again makes of [] an {} and rounds long numbers: what people and tools said would change.
it('no script parses or writes JSON', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const texts = files.map((file) => [file, readFileSync(join(source, file), 'utf8')] as const);
  expect(texts.filter(([, text]) => text.includes('createScript(')).length).toBeGreaterThan(5);
  // A migration reads the ids of messages, and writes none of what it parsed.
  const parsing = texts.filter(([, text]) => text.includes('cjson')).map(([file]) => file);
  expect(parsing).toEqual([join('lua', 'migrations.ts')]);
});
