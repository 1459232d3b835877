// If this fails: docs/faults.md does not list a case that a test names, or sends its reader to a file without that case.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}docs/faults.md`, 'utf8');

/** A row of the page: the id of a case, and the files that show it. */
interface Case {
  readonly id: string;
  readonly files: readonly string[];
}

const cases: readonly Case[] = [...page.matchAll(/^\| ([A-Z]+-?\d{2}) \|.*\| ([^|]*) \|$/gm)].map(
  ([, id = '', shownBy = '']) => ({
    id,
    files: [...shownBy.matchAll(/`([^`]+\.tsx?)`/g)].map(([, file = '']) => file),
  }),
);
const families = [...new Set(cases.map(({ id }) => id.slice(0, -2)))].join('|');

it('docs/faults.md lists every case that a test names', () => {
  const sources = ['packages/*/test/**/*.{ts,tsx}', 'packages/test*/src/**/*.ts'];
  const named = globSync([...sources, 'examples/*/test/**/*.{ts,tsx}'], { cwd: root }).flatMap(
    (file) => {
      const text = readFileSync(root + file, 'utf8');
      return [...text.matchAll(new RegExp(`\\b(?:${families})\\d{2}(?=[ab]?\\b)`, 'g'))].map(
        ([id]) => id,
      );
    },
  );
  expect(named.length).toBeGreaterThan(100);
  const shown = cases.filter(({ files }) => files.length > 0).map(({ id }) => id);
  expect([...new Set(named)].filter((id) => !shown.includes(id)).toSorted()).toEqual([]);
});

it('docs/faults.md lists each case once', () => {
  const ids = cases.map(({ id }) => id);
  expect(ids.filter((id, position) => ids.indexOf(id) !== position)).toEqual([]);
});

it('docs/faults.md names files that exist and contain the id of their case', () => {
  const wrong = cases.flatMap(({ id, files }) =>
    files.filter((file) => !readShown(file).includes(id)).map((file) => `${id} is not in ${file}`),
  );
  expect(wrong).toEqual([]);
});

/** Suites are named without `packages/testing/src/`, other files without `packages/`. */
function readShown(file: string): string {
  const places = [`${root}packages/testing/src/${file}`, `${root}packages/${file}`];
  const path = places.find((place) => existsSync(place));
  return path ? readFileSync(path, 'utf8') : '';
}
