import { checkD1Options, connectD1, type D1Options } from './d1-connection.ts';
import { SqlUsageStore } from './sql-usage-store.ts';

/** Usage in a D1 database. In the database of the state store it also has the entries of the engine. */
export class D1UsageStore extends SqlUsageStore {
  constructor(options: D1Options) {
    checkD1Options(options);
    super(connectD1(options).driver);
  }
}
