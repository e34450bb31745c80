// Secrets stay in Secrets.
import { at, containersOf, first, type Rule, replaceSettings, settingsOf } from './rule.ts';

const secretSettings = ['postgres', 'masterKeys', 'clickhouse.url', 'runner.joinToken'];

export const secretRules: readonly Rule[] = [
  {
    name: 'no ConfigMap has a secret setting',
    faults: (objects) =>
      settingsOf(objects).flatMap((settings) => secretSettings.filter((path) => at(settings, path) !== undefined)),
    plants: {
      'the address of PostgreSQL': (objects) =>
        replaceSettings(objects, { postgres: { url: 'postgres://berth:secret@db.example.com/berth' } }),
      'the address of ClickHouse': (objects) =>
        replaceSettings(objects, { clickhouse: { url: 'http://berth:secret@clickhouse.example.com/berth' } }),
    },
  },
  {
    name: 'variables hold no secrets: each names a mounted file',
    faults: (objects) =>
      containersOf(objects).flatMap(({ pod, container }) => {
        const { mountPath } = container.volumeMounts.find(({ name }) => name === 'secrets') ?? { mountPath: '' };
        const sources = pod.volumes.flatMap(({ projected }) => projected?.sources ?? []);
        const files = sources.flatMap(({ secret }) => secret.items.map(({ path }) => `${mountPath}/${path}`));
        return container.env
          .filter(({ name, value }) => !name.endsWith('_FILE') || !files.includes(value))
          .map(({ name }) => name);
      }),
    plants: {
      'a secret in a variable': (objects) => {
        const value = 'postgres://berth:secret@db.example.com/berth';
        first(containersOf(objects)).container.env.push({ name: 'BERTH_POSTGRES_URL', value });
      },
      'a file that is not mounted': (objects) => {
        const value = '/etc/berth/secrets/other';
        first(containersOf(objects)).container.env.push({ name: 'BERTH_POSTGRES_URL_FILE', value });
      },
    },
  },
];
