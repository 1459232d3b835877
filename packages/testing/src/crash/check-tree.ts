import { checkRows } from './check-rows.ts';
import { checkStream } from './check-stream.ts';
import type { TreeDump } from './tree-dump.ts';

/** All that must hold of the rows and the stream of a tree that has ended, whatever happened to it on the way. */
export function checkTree(dump: TreeDump): string[] {
  return [...checkRows(dump), ...checkStream(dump)];
}
