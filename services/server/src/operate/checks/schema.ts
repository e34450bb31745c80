import { readSettings } from '../install/read-settings.ts';
import type { Check } from './check.ts';

export const schema: Check = {
  name: 'schema',
  why: 'a server on an older schema fails where it uses what is new',
  when: 'running',
  needs: ['postgres'],
  async look({ places }) {
    const { schemaState } = await import('@berth/database');
    const { pending } = await schemaState((await readSettings(places)).postgres.url);
    if (pending.length === 0) return undefined;
    return {
      what: `The database lacks ${pending.length} migrations: ${pending.join(', ')}.`,
      fix: 'berth-server migrate',
    };
  },
};
