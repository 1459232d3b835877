import type { StreamWrite } from '@helix-agents/core/store';
import type { Statement } from '../driver.ts';
import { renderClose, renderOpen } from './status-statements.ts';
import { renderEntries } from './stream-statements.ts';

/** The stream write of a commit, as statements of its batch. */
export function renderCarried(
  { streamId, agentId, agentType, entries, close }: StreamWrite,
  now: number,
): Statement[] {
  return [
    renderOpen(streamId, agentId, agentType, now),
    ...renderEntries(streamId, entries, now),
    ...(close ? [renderClose(streamId, close, now)] : []),
  ];
}
