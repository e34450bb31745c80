import { asSchema } from 'ai';
import { expect, test } from 'vitest';
import { textSchema } from './text-schema.ts';

const schema = asSchema(textSchema({ command: 'Command line.' }, { cwd: 'Folder.' }));

test('the AI SDK tells a model the names, the descriptions and which texts are needed', async () => {
  expect(await schema.jsonSchema).toEqual({
    type: 'object',
    properties: {
      command: { type: 'string', description: 'Command line.' },
      cwd: { type: 'string', description: 'Folder.' },
    },
    required: ['command'],
    additionalProperties: false,
  });
});

test.each([
  [{ command: 'ls' }, true],
  [{ command: 'ls', cwd: '/' }, true],
  [{ cwd: '/' }, false],
  [{ command: 7 }, false],
  [{ command: 'ls', other: 'x' }, false],
  ['ls', false],
  [null, false],
])('the AI SDK takes %j as input: %s', async (input, isTaken) => {
  expect(await schema.validate?.(input)).toMatchObject({ success: isTaken });
});
