import type { RedisClient } from './client.ts';
import { createKeys, decodeId, encodeId } from './keys.ts';
import { addRoutesScript } from './lua/routes.ts';
import { noteRoot } from './session/locate.ts';

/**
 * Brings what format 1 wrote to format 2: sessions get their route and their unit, calls their unit, and of every child its root is
 * noted. Any number of processes may do so at once, and each may die at any point: all of it can run again.
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

/** Every tree with a session in it. A child says its root too: that one may be in another database. */
async function* rootsIn(client: RedisClient, area: string): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (const index of ['roots', 'children']) {
    let cursor = '0';
    do {
      const reply = await client.call('ZSCAN', [`${area}:${index}`, cursor, 'COUNT', 500]);
      const [next, entries] = reply as [string, string[]];
      // Members and scores take turns.
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
