import { expect, it } from 'vitest';
import { randomId } from '../src/util/random-id.ts';

it('is a UUID of version 4, another one each time', () => {
  const ids = Array.from({ length: 10_000 }, () => randomId());
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

it('draws every digit that is free', () => {
  const ids = Array.from({ length: 2_000 }, () => randomId());
  for (let place = 0; place < 36; place += 1) {
    const drawn = new Set(ids.map((id) => id[place]));
    const free = place === 14 || '----'.includes(ids[0]?.[place] ?? '') ? 1 : place === 19 ? 4 : 16;
    expect(drawn.size).toBe(free);
  }
});
