// Generates docs/operations/fields.md from the contract's lists: fields that are refused, warned about or waiting.
import { type FieldEffect, fieldEffects, workspaceEffects } from '@berth/contract';

type Idle = Exclude<FieldEffect, { effect: 'enforced' }>;

const words: Readonly<Record<Idle['effect'], string>> = {
  refused: 'refused with 400',
  warned: 'stored, with a `warning` event',
  waits: 'stored, the status waits',
};

const row = ({ effect, paths, reason }: Idle, prefix: string): string =>
  `| ${paths.map((path) => `\`${prefix}${path}\``).join(', ')} | ${words[effect]} | ${upper(reason)} |`;

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function fieldsPage(): string {
  const lists = [
    ...Object.entries(fieldEffects).map(([name, effects]) => ({ name, effects, prefix: 'spec.' })),
    { name: 'workspace', effects: workspaceEffects, prefix: '' },
  ];
  const tables = lists.flatMap(({ name, effects, prefix }) => {
    const idle = effects.filter((entry) => entry.effect !== 'enforced');
    if (idle.length === 0) return [];
    return [
      [
        `## ${name}`,
        '',
        '| Field | What happens | Why |',
        '|---|---|---|',
        ...idle.map((entry) => row(entry, prefix)),
      ].join('\n'),
    ];
  });
  return [
    '# Fields without effect',
    '',
    'No setting is accepted and ignored. A field that protects somebody and cannot be honoured yet is refused; one that only adds',
    'something is stored, and an event of type `warning` on the resource says that it has no effect. An empty value and the default',
    'ask for nothing and are always taken. Every field that is not listed here is enforced, and a test shows it. This page is made',
    'from the code by `pnpm fields`.',
    '',
    tables.join('\n\n'),
    '',
  ].join('\n');
}
