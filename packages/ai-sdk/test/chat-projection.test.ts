// If this fails: chunks of a new type may be left out of chats without anybody having decided so.
import type { ChunkType } from '@helix-agents/core';
import { expectTypeOf, it } from 'vitest';
import type { ChunkHandlers } from '../src/server/chat-projection.ts';

it('the chat projection does not compile without a handler for each type of chunk', () => {
  expectTypeOf<keyof ChunkHandlers>().toEqualTypeOf<ChunkType>();
  expectTypeOf<Omit<ChunkHandlers, 'text_delta'>>().not.toExtend<ChunkHandlers>();
});
