import { expect, test } from 'vitest';
import { readTypescript } from './read-typescript.ts';

const index = `export { Client } from './client.ts';\nexport type { Box as BoxHandle, Options } from './box/box.ts';`;
const client = `
import type { Box } from './box/box.ts';
import type { Process as ProcessInfo } from './generated/guest.ts';
export class Base {
  /** Closes it. */
  close(): void {}
}
/**
 * The client
 * of a service.
 */
export class Client extends Base implements Disposable {
  readonly #secret = 1;
  /** Boxes of it. */
  readonly box: Box;
  /** @internal Not for programs. */
  get inner(): number { return 1; }
  /** Given the address. */
  constructor(url: string) { super(); }
  /** One by its name. */
  find(name: string): Box;
  find(name: string, times: number): Box;
  find(name: string, times = 1): Box { return this.box; }
  /** Starts it. */
  async *run({ isFast = false }: { readonly isFast?: boolean } = {}, grace = 10, ...rest: string[]): AsyncGenerator<
    ProcessInfo
  > {}
  [Symbol.dispose](): void {}
}`;
const box = `
export interface Options {
  /** Names it. */
  readonly name?: string | undefined;
  readonly status: number | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}
export class Box { constructor(name: string) {} }`;

test('the surface has signatures, descriptions and the names that programs import', () => {
  const [found, boxed, options] = readTypescript({ 'index.ts': index, 'client.ts': client, 'box/box.ts': box });
  expect(found).toMatchObject({ name: 'Client', heading: 'class Client', doc: 'The client of a service.', part: '.' });
  expect(found?.members).toEqual([
    { signature: 'box: BoxHandle', doc: 'Boxes of it.' },
    { signature: '(url: string)', doc: 'Given the address.' },
    { signature: 'find(name: string): BoxHandle', doc: 'One by its name.' },
    { signature: 'find(name: string, times: number): BoxHandle', doc: '' },
    {
      signature: 'run(options?: { isFast?: boolean }, grace = 10, ...rest: string[]): AsyncGenerator<guest.Process>',
      doc: 'Starts it.',
    },
    { signature: 'close(): void', doc: 'Closes it.' },
  ]);
  expect(boxed).toMatchObject({ name: 'BoxHandle', part: 'box', members: [] });
  expect(options?.members).toEqual([
    { signature: 'name?: string', doc: 'Names it.' },
    { signature: 'status: number | undefined', doc: '' },
    { signature: 'onText?: (text: string) => void', doc: '' },
  ]);
});

test('a type that programs cannot import is refused', () => {
  const sources = { 'index.ts': `export { Client } from './client.ts';`, 'client.ts': client, 'box/box.ts': box };
  expect(() => readTypescript(sources)).toThrow('"box: Box" of Client names Box, which is not exported.');
});
