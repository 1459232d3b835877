import { openSqlite } from '@helix-agents/store-sqlite';
import { refundDesk } from './agent.ts';

/** Where Temporal is. `temporal server start-dev` listens here. */
export const address: string = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
/** Worker and clients meet on this queue. */
export const taskQueue: string = process.env['TASK_QUEUE'] ?? 'refunds';

/** What worker and clients share: everything durable about agents is in this file, nothing of it in Temporal. */
export const stores: ReturnType<typeof openSqlite> = openSqlite(
  process.env['DATABASE'] ?? 'agents.db',
);

export const agentRegistry: { readonly [name: string]: typeof refundDesk } = {
  'refund-desk': refundDesk,
};
