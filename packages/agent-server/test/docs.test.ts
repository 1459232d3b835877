// If this fails: the guides name a route, an event or a code that is not there, or leave one out.
import { globSync, readFileSync } from 'node:fs';
import { isKnownErrorCode } from '@helix-agents/core';
import { expect, it } from 'vitest';
import { createTestServer } from './fixtures.ts';

const guide = (name: string): string =>
  readFileSync(new URL(`../../../docs/guides/${name}.md`, import.meta.url), 'utf8');

it('has every route in the protocol, and no other', () => {
  const { server } = createTestServer();
  const shown = Object.entries(server.openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replace('{sessionId}', '{id}')}`,
    ),
  );
  const rows = [...guide('http-protocol').matchAll(/^\| (`(?:GET|POST) .*?) \|/gm)];
  const documented = rows.flatMap(([, cell = '']) => {
    const [first = '', ...others] = [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    const base = first.replace(/\/[^/]+$/, '');
    return [first, ...others.map((other) => other.replace('…', base))];
  });
  expect(documented.toSorted()).toEqual(shown.toSorted());
});

it('has every event of the log in the guide, and no other', () => {
  const src = new URL('../src/', import.meta.url);
  const logged = globSync('**/*.ts', { cwd: src }).flatMap((file) =>
    [...readFileSync(new URL(file, src), 'utf8').matchAll(/'(server\.\w+)'/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  const documented = [...guide('server').matchAll(/^\| `(server\.\w+)` \|/gm)].map(
    (match) => match[1] ?? '',
  );
  expect(documented.toSorted()).toEqual([...new Set(logged)].toSorted());
});

it('has codes in the protocol that clients can rely on', () => {
  const errors = guide('http-protocol').split('## Errors')[1] ?? '';
  const rows = [...errors.matchAll(/^\| [\d, ]+ \| (.*?) \|/gm)].map((match) => match[1] ?? '');
  const codes = rows.flatMap((cell) =>
    [...cell.matchAll(/`([A-Z_a-z]+)`/g)].map((match) => match[1]),
  );
  expect(codes.length).toBeGreaterThan(15);
  for (const code of codes)
    expect(code === 'toolCallIds' || isKnownErrorCode(code), code).toBe(true);
});
