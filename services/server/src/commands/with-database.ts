import { connect, type Database } from '@berth/database';

/** A command asks a few things and ends; what it opened is closed however it ends. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect({ url, maxConnections: 2, applicationName: 'berth-command' });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}
