import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const src = new URL('../src/', import.meta.url);

function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, src), 'utf8');
  return [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name = '']) => name);
}

it('the HTTP layer imports nothing of Node: it runs in Workers too', () => {
  const files = globSync('**/*.ts', { cwd: src });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    for (const name of importsOf(file)) expect(name).toMatch(/^(@helix-agents\/core(\/\w+)?|zod)$/);
  }
});

it('the parser of events imports nothing: pages load it', () => {
  expect(importsOf('events.ts')).toEqual([]);
});
