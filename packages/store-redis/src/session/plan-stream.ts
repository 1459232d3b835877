import { DefinitionError } from '@helix-agents/core';
import type { StreamWrite } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { encodeId } from '../keys.ts';
import { closeWords, pushEntries, STAYS, type StreamSettings } from '../stream/stream-words.ts';

/** Adds the stream write of a plan. The stream must be in the hash slot of the tree, as that with the root's id is. */
export function writeStream(
  args: (string | number)[],
  { keys, streams }: RedisDatabase,
  rootId: string,
  { streamId, agentId, agentType, entries, close }: StreamWrite,
): void {
  if (!streams || keys.areaOf(streamId) !== keys.areaOf(rootId))
    throw notCarried(streamId, streams);
  args.push('stream', encodeId(streamId), agentId, agentType, `${streams.maxChunks}`);
  args.push(...(close ? closeWords(streams, close) : STAYS), `${entries.length}`);
  const place = args.push('0');
  args[place - 1] = `${pushEntries(args, entries)}`;
}

function notCarried(streamId: string, streams: StreamSettings | undefined): DefinitionError {
  return new DefinitionError(
    streams
      ? `A commit cannot write to the stream ${streamId}: it is in another hash slot. Only the stream with the root's own id is sure to be in its slot.`
      : `A commit cannot write to the stream ${streamId}: the store was not handed the streams. Use openRedis, or hand them to RedisStateStore ({ streams }).`,
  );
}
