import { connectObject, type ObjectStoreOptions } from './object-connection.ts';
import { SqlUsageStore } from './sql-usage-store.ts';

/** Usage in the SQLite of a Durable Object. In that of the state store it also has the entries of the engine. */
export class DOUsageStore extends SqlUsageStore {
  constructor(options: ObjectStoreOptions) {
    super(connectObject(options).driver);
  }
}
