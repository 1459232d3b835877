// Argument: the file. Holds its write lock until it is killed.
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2]!);
database.exec('begin immediate');
process.stdout.write('locked');
setInterval(() => {}, 1000);
