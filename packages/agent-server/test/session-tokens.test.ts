import { describe, expect, it } from 'vitest';
import { createSessionTokens } from '../src/index.ts';
import { SECRET } from './server-process.ts';

const tokens = createSessionTokens({ secret: SECRET, now: () => 1_000 });

describe('session tokens', () => {
  it('say again what they were issued for', async () => {
    const { token, expiresAt } = await tokens.issue({ sessionId: 'sesión \u{1f600}', id: 'ada' });
    expect(expiresAt).toBe(1_000 + 15 * 60_000);
    expect(await tokens.verify(token)).toEqual({
      sessionId: 'sesión \u{1f600}',
      id: 'ada',
      expiresAt,
    });
    expect(token).toMatch(/^hs1\.[\w-]+\.[\w-]{43}$/);
  });

  it('end when their time is over', async () => {
    let now = 0;
    const short = createSessionTokens({ secret: SECRET, ttlMs: 10, now: () => now });
    const { token } = await short.issue({ sessionId: 's' });
    now = 9;
    expect(await short.verify(token)).not.toBeNull();
    now = 10;
    expect(await short.verify(token)).toBeNull();
  });

  it('are worth nothing after any change of a character', async () => {
    const { token } = await tokens.issue({ sessionId: 's', id: 'ada' });
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ['A', 'b', '-', '.', '=']) {
        if (token[at] === other) continue;
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        expect(await tokens.verify(changed), changed).toBeNull();
      }
    }
    for (const odd of [
      '',
      '.',
      '..',
      'hs1..',
      'hs1.e30.',
      `${token}.x`,
      `${token}=`,
      ` ${token}`,
      'x'.repeat(9_999),
    ]) {
      expect(await tokens.verify(odd), odd).toBeNull();
    }
  });

  it('are not taken from another secret, and survive the change of a secret', async () => {
    const other = createSessionTokens({
      secret: 'another-secret-of-the-tests-32-byte',
      now: () => 1_000,
    });
    const { token } = await other.issue({ sessionId: 's' });
    expect(await tokens.verify(token)).toBeNull();
    const both = createSessionTokens({
      secret: [SECRET, 'another-secret-of-the-tests-32-byte'],
      now: () => 1_000,
    });
    expect(await both.verify(token)).toMatchObject({ sessionId: 's' });
    expect(await tokens.verify((await both.issue({ sessionId: 's' })).token)).not.toBeNull();
  });

  it('need a secret that cannot be guessed', () => {
    for (const secret of ['', 'short', [], [SECRET, 'short']]) {
      expect(() => createSessionTokens({ secret })).toThrow(/32 bytes/);
    }
  });
});
