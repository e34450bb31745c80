import { readSettings } from '../install/read-settings.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

export const migrateDatabase: Step<UpContext> = {
  name: 'database',
  async isDone({ places }) {
    const { schemaState } = await import('@berth/database');
    return (await schemaState((await readSettings(places)).postgres.url)).pending.length === 0;
  },
  async run({ places }) {
    const { migrate } = await import('@berth/database');
    const applied = await migrate((await readSettings(places)).postgres.url);
    return `${applied.length} migrations`;
  },
};
