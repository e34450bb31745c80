// Writes types and operations for the Python client.
import type { CalledOperation } from './called-operations.ts';
import type { Declared, Field, Type } from './type-model.ts';

const keywords = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False'.split(
    ' ',
  ),
);
const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !keywords.has(text);
const quoted = (text: string): string => JSON.stringify(text);

/** Imports what the text uses. */
function typingFor(text: string): string {
  const names = ['Any', 'Literal', 'NotRequired', 'TypeAlias', 'TypedDict', 'Union'];
  return `from typing import ${names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).join(', ')}`;
}

export function pythonTypes(title: string, types: readonly Declared[]): string {
  const text = types.map(declaration).join('\n\n');
  const head = [`# Types of the ${title}. Written by \`pnpm clients\`.`, 'from __future__ import annotations\n'];
  return [...head, `${typingFor(text)}\n\n`, text].join('\n');
}

function declaration({ name, description, fields, type, isAnswered }: Declared): string {
  if (fields === undefined) return `${name}: TypeAlias = ${quoted(expression(type, isAnswered))}\n`;
  if (!fields.every((field) => isName(field.name))) {
    const entries = fields.map((field) => `    ${quoted(field.name)}: ${quoted(member(field, isAnswered))},\n`);
    return `${name} = TypedDict(\n    ${quoted(name)},\n    {\n${entries.map((entry) => `    ${entry}`).join('')}    },\n)\n`;
  }
  const lines = fields.map((field) => `${comment(field)}    ${field.name}: ${member(field, isAnswered)}\n`);
  return `class ${name}(TypedDict):\n${docText(description, '    ')}${lines.join('')}`;
}

const member = ({ type, isRequired }: Field, isAnswered: boolean): string =>
  isRequired ? expression(type, isAnswered) : `NotRequired[${expression(type, isAnswered)}]`;

const comment = ({ description }: Field): string =>
  description === undefined ? '' : `    # ${description.replaceAll('\n', ' ')}\n`;

const docText = (text: string | undefined, indent: string): string =>
  text === undefined
    ? ''
    : `${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll('\n', ' ')}"""\n`;

const words = {
  text: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  unknown: 'Any',
  bytes: 'bytes',
} as const;

function expression(type: Type, isAnswered: boolean): string {
  if (type.is === 'ref') return type.name;
  if (type.is === 'list') return `list[${expression(type.of, isAnswered)}]`;
  if (type.is === 'map') return `dict[str, ${expression(type.of, isAnswered)}]`;
  if (type.is === 'union') return `Union[${type.of.map((each) => expression(each, isAnswered)).join(', ')}]`;
  if (type.is !== 'literal') return words[type.is];
  // A later service may answer with other texts.
  if (isAnswered && type.values.every((value) => typeof value === 'string')) return 'str';
  const values = type.values.map((value) =>
    typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  );
  return `Literal[${values.join(', ')}]`;
}

/** `showTerminated` as Python writes it. */
function snake(name: string): string {
  const text = name
    .replace(/\W/g, '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
  return keywords.has(text) ? `${text}_` : text;
}

/** Methods of the asynchronous client; the synchronous one is made from it. */
export function pythonOperations(operations: readonly CalledOperation[]): string {
  const text = operations.map(method).join('\n');
  return [
    '# Operations of the management API. Written by `pnpm clients`.',
    'from __future__ import annotations\n',
    `${typingFor(text)}\n`,
    'from .._generated import management as t',
    'from .management import AsyncManagement\n\n',
    'class AsyncOperations(AsyncManagement):',
    text,
  ].join('\n');
}

function method({
  id,
  method: verb,
  path,
  summary,
  isAtRoot,
  isPublic,
  params,
  query,
  body,
  answer,
}: CalledOperation): string {
  const given = [
    ...params.map((name) => `${snake(name)}: str`),
    ...(body === undefined ? [] : [`body: ${inModule(body, false)}`]),
    ...query.map(({ name, type, isRequired }) =>
      isRequired
        ? `${snake(name)}: ${inModule(type, false)}`
        : `${snake(name)}: Union[${inModule(type, false)}, None] = None`,
    ),
    'timeout: Union[float, None] = None',
  ];
  const required = given.filter((text) => !text.includes(' = '));
  const optional = given.filter((text) => text.includes(' = '));
  const pairs = (names: readonly string[]): string =>
    `{${names.map((name) => `${quoted(name)}: ${snake(name)}`).join(', ')}}`;
  const more = [
    ...(body === undefined ? [] : ['body=body']),
    ...(isAtRoot ? ['at_root=True'] : []),
    ...(isPublic ? ['public=True'] : []),
    'timeout=timeout',
  ].join(', ');
  const signature = [...required, ...optional].map((text) => `        ${text},\n`).join('');
  return [
    `    async def ${snake(id)}(\n        self,\n        *,\n${signature}    ) -> ${answer === undefined ? 'None' : inModule(answer, true)}:`,
    `${docText(summary, '        ')}        return await self.request(`,
    `            ${quoted(verb)}, ${quoted(path)}, params=${pairs(params)},`,
    `            query=${pairs(query.map(({ name }) => name))}, ${more},`,
    '        )\n',
  ].join('\n');
}

const inModule = (type: Type, isAnswered: boolean): string =>
  expression(type, isAnswered).replace(/(?<!["\w.])([A-Z]\w*)\b(?!")/g, (name) =>
    ['Any', 'Literal', 'Union', 'None', 'True', 'False'].includes(name) ? name : `t.${name}`,
  );

/** Words of the asynchronous source, and what stands for them where nothing is awaited. */
const replaced: readonly (readonly [RegExp, string])[] = [
  [/\basync def\b/g, 'def'],
  [/\basync with\b/g, 'with'],
  [/\basync for\b/g, 'for'],
  [/\bawait /g, ''],
  [/\bAsyncIterator\b/g, 'Iterator'],
  [/\bAsyncGenerator\b/g, 'Iterator'],
  [/\b__aenter__\b/g, '__enter__'],
  [/\b__aexit__\b/g, '__exit__'],
  [/\baclose\b/g, 'close'],
  [/\baread\b/g, 'read'],
  [/\baiter_(\w+)/g, 'iter_$1'],
  [/\basyncio\.sleep\b/g, 'time.sleep'],
  [/^import asyncio$/gm, 'import time'],
  [/\bwebsockets\.asyncio\.client\b/g, 'websockets.sync.client'],
  [/\bAsync([A-Z]\w*)/g, '$1'],
  [/\basynchronous\b/g, 'synchronous'],
  [/\basyncio\.run\((\w+)\(\)\)/g, '$1()'],
  [/ async for /g, ' for '],
];

export const synchronous = (source: string): string =>
  `# Made from the asynchronous source by \`pnpm clients\`.\n${replaced.reduce((text, [from, to]) => text.replace(from, to), source)}`;
