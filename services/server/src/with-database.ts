import { connect, type Database } from '@berth/database';

/** Opens a few connections for one command and closes them however it ends. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect({ url, maxConnections: 2, applicationName: 'berth-command' });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}
