import type { RedisClient } from './client.ts';
import { createKeys, decodeId, encodeId } from './keys.ts';
import { addMessageIdsScript, addRoutesScript, addUnitsScript } from './lua/migrations.ts';
import type { Script } from './script.ts';
import { noteRoot } from './session/locate.ts';

/**
 * Migrates format 1 to format 2: sessions get their route and unit, calls their unit, and the root of every child is stored. Any number
 * of processes may do so at once, and each may die at any point: all of it can run again.
 */
export async function addRoutes(client: RedisClient, prefix: string): Promise<void> {
  const keys = createKeys(prefix);
  for (const area of keys.areas) {
    for await (const rootId of rootsIn(client, area)) {
      const args = [area, encodeId(rootId), 0, 'caller'];
      const ids = (await addRoutesScript.run(client, keys.treeOf(rootId), args)) as string[];
      for (const id of ids) await noteRoot(client, keys, { rootId, sessionId: decodeId(id) });
    }
  }
}

/** Migrates format 2 to format 3: the ids of user messages become keys. All of it can run again. */
export async function addMessageIds(client: RedisClient, prefix: string): Promise<void> {
  await onTrees(client, prefix, addMessageIdsScript);
}

/** Migrates format 3 to format 4: sessions, references, calls and interrupts get what units need. All of it can run again. */
export async function addUnits(client: RedisClient, prefix: string): Promise<void> {
  await onTrees(client, prefix, addUnitsScript);
}

async function onTrees(client: RedisClient, prefix: string, script: Script): Promise<void> {
  const keys = createKeys(prefix);
  for (const area of keys.areas) {
    for await (const rootId of rootsIn(client, area)) {
      const args = [area, encodeId(rootId), 0, 'caller'];
      await script.run(client, keys.treeOf(rootId), args);
    }
  }
}

/** Every tree with a session in it. Children are listed too, because their root may be in another database. */
async function* rootsIn(client: RedisClient, area: string): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (const index of ['roots', 'children']) {
    let cursor = '0';
    do {
      const reply = await client.call('ZSCAN', [`${area}:${index}`, cursor, 'COUNT', 500]);
      const [next, entries] = reply as [string, string[]];
      // Members and scores alternate.
      for (let at = 0; at < entries.length; at += 2) {
        const root = (entries[at] as string).split(':').at(-1) as string;
        if (seen.has(root)) continue;
        seen.add(root);
        yield decodeId(root);
      }
      cursor = String(next);
    } while (cursor !== '0');
  }
}
