import { text } from 'node:stream/consumers';
import { environment } from '@berth/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFrom, writeTo } from './postgres-program.ts';

const url = 'postgres://berth:pass%2Fword@127.0.0.1:5432/main?sslmode=require';
const shell = (script: string) => ['sh', '-c', script, 'program'];
const read = async (words: readonly string[]): Promise<string> => text(readFrom(words, ['--one'], url));

async function* rows(count: number): AsyncGenerator<Buffer> {
  for (let number = 0; number < count; number += 1) yield Buffer.alloc(65_536);
}

beforeAll(() => {
  Object.assign(environment, { BERTH_MASTER_KEYS: 'not for others' });
});
afterAll(() => {
  Reflect.deleteProperty(environment, 'BERTH_MASTER_KEYS');
});

test('the password is in the environment and not among the arguments, and no setting of the server is passed on', async () => {
  const said = await read(shell('echo "$@"; echo "$PGPASSWORD"; env | grep -c BERTH_MASTER; true'));
  expect(said.split('\n')).toEqual([
    '--one --dbname=postgres://berth@127.0.0.1:5432/main?sslmode=require',
    'pass/word',
    '0',
    '',
  ]);
});

test('a program that fails is told with its own words, also when its output was complete', async () => {
  await expect(read(shell('echo rows; echo "version mismatch" >&2; exit 3'))).rejects.toThrow(
    /ended with code 3: version mismatch\..* backup\.pgDump/,
  );
});

test('a program that ends before it has read everything is told with its own words', async () => {
  await expect(writeTo(shell('echo "no such table" >&2; exit 1'), [], url, rows(100))).rejects.toThrow('no such table');
});

test('a program that is not there is told with the setting that names it', async () => {
  await expect(read(['/nowhere/pg_dump'])).rejects.toThrow('/nowhere/pg_dump cannot be started');
  await expect(writeTo(['/nowhere/pg_restore'], [], url, rows(1))).rejects.toThrow('cannot be started');
});

test('rows that cannot be read end the program, and their failure is told', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('some');
    throw new Error('the file is damaged');
  }
  await expect(writeTo(shell('cat > /dev/null'), [], url, broken())).rejects.toThrow('the file is damaged');
});
