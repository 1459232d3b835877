import type { Logger } from '@helix-agents/core';
import type { RedisClient } from './client.ts';

/**
 * Warns about settings that can lose sessions, once also if several masters of a cluster have them. Does nothing when they cannot be
 * read.
 */
export async function warnAboutDurability(client: RedisClient, logger: Logger): Promise<void> {
  try {
    const risks = await Promise.all((await mastersOf(client)).map(risksOf));
    for (const message of new Set(risks.flat())) logger.warn(message);
  } catch {
    // If the server does not reply, every other command fails too.
  }
}

/** A `Cluster` knows its nodes after its first command. */
async function mastersOf(client: RedisClient): Promise<readonly RedisClient[]> {
  if (!isCluster(client)) return [client];
  await client.call('PING', []);
  return client.nodes('master');
}

function isCluster(
  client: RedisClient,
): client is RedisClient & { nodes(role: 'master'): readonly RedisClient[] } {
  return typeof Reflect.get(client, 'nodes') === 'function';
}

async function risksOf(node: RedisClient): Promise<readonly string[]> {
  const info = parseInfo((await node.call('INFO', [])) as string);
  const appendfsync = info['aof_enabled'] === '1' ? await readAppendfsync(node) : null;
  return findRisks(info, appendfsync);
}

function findRisks(
  info: Readonly<Record<string, string>>,
  appendfsync: string | null,
): readonly string[] {
  const risks: string[] = [];
  if (info['aof_enabled'] === '0') {
    risks.push(
      'Redis runs without an append-only file: a restart loses every session since the last snapshot. Set "appendonly yes".',
    );
  }
  if (appendfsync === 'no') {
    risks.push(
      'Redis leaves it to the system when to write (appendfsync no): a power loss takes many seconds of commits. Set "appendfsync everysec" or "always".',
    );
  }
  const policy = info['maxmemory_policy'];
  if (policy !== undefined && policy !== 'noeviction' && !policy.startsWith('volatile-')) {
    risks.push(
      `Redis deletes keys when memory is short (maxmemory-policy ${policy}): suspended sessions may vanish. Set "maxmemory-policy noeviction".`,
    );
  }
  return risks;
}

/** Null when CONFIG is forbidden, as on many managed servers. */
async function readAppendfsync(client: RedisClient): Promise<string | null> {
  try {
    // A list of names and values, or a map, depending on the protocol version.
    const reply = await client.call('CONFIG', ['GET', 'appendfsync']);
    return /always|everysec|\bno\b/.exec(JSON.stringify(reply))?.[0] ?? null;
  } catch {
    return null;
  }
}

function parseInfo(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}
