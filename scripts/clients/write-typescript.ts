// Writes types and operations for the TypeScript client.
import type { CalledOperation } from './called-operations.ts';
import type { Declared, Field, Type } from './type-model.ts';

const open = `/** A text of which some values are known; a later service may answer with others. */
export type Open<Known extends string> = Known | (string & Record<never, never>);
`;

export const typescriptTypes = (title: string, types: readonly Declared[]): string =>
  [`// Types of the ${title}. Written by \`pnpm clients\`.\n`, open, ...types.map(declaration)].join('\n');

function declaration({ name, description, fields, type, isAnswered }: Declared): string {
  const comment = docComment(description, '');
  if (fields === undefined) return `${comment}export type ${name} = ${expression(type, isAnswered)};\n`;
  return `${comment}export interface ${name} {\n${fields.map((field) => member(field, isAnswered)).join('')}}\n`;
}

function member({ name, type, isRequired, isReadOnly, description }: Field, isAnswered: boolean): string {
  const text = expression(type, isAnswered);
  const optional = isRequired ? `: ${text}` : `?: ${text} | undefined`;
  return `${docComment(description, '  ')}  ${isReadOnly ? 'readonly ' : ''}${key(name)}${optional};\n`;
}

const words = {
  text: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  unknown: 'unknown',
  bytes: 'Blob',
} as const;

function expression(type: Type, isAnswered: boolean): string {
  if (type.is === 'ref') return type.name;
  if (type.is === 'list') return `${grouped(type.of, isAnswered)}[]`;
  if (type.is === 'map') return `Record<string, ${expression(type.of, isAnswered)}>`;
  if (type.is === 'union') return type.of.map((each) => expression(each, isAnswered)).join(' | ');
  if (type.is !== 'literal') return words[type.is];
  const values = type.values.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join(' | ');
  return isAnswered && type.values.every((value) => typeof value === 'string') ? `Open<${values}>` : values;
}

function grouped(type: Type, isAnswered: boolean): string {
  const text = expression(type, isAnswered);
  return text.includes(' ') && !/^(Record|Open)</.test(text) ? `(${text})` : text;
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));
const docComment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`;

export function typescriptOperations(operations: readonly CalledOperation[]): string {
  const table = operations.map(tableLine).join('');
  const types = operations.map(typeLines).join('');
  return [
    '// Operations of the management API. Written by `pnpm clients`.\n',
    "import type * as t from './management.ts';\n",
    'export interface OperationShape {',
    "  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';",
    '  readonly path: string;',
    '  /** The path stands behind the host, without the prefix of the API. */',
    '  readonly isAtRoot?: true;',
    '  /** No credential is sent. */',
    '  readonly isPublic?: true;',
    '}\n',
    `export const operations = {\n${table}} as const satisfies Readonly<Record<string, OperationShape>>;\n`,
    `export interface Operations {\n${types}}\n`,
    '/** Operations that need nothing. */',
    `export type FreeOperation =\n${operations
      .filter(isFree)
      .map(({ id }) => `  | '${id}'`)
      .join('\n')};\n`,
  ].join('\n');
}

const tableLine = ({ id, method, path, isAtRoot, isPublic }: CalledOperation): string =>
  `  ${id}: { method: '${method}', path: '${path}'${isAtRoot ? ', isAtRoot: true' : ''}${isPublic ? ', isPublic: true' : ''} },\n`;

const isFree = ({ params, query, body }: CalledOperation): boolean =>
  params.length === 0 && body === undefined && query.every(({ isRequired }) => !isRequired);

function typeLines({ id, summary, params, query, body, answer }: CalledOperation): string {
  const asked = query.map(({ name, type, isRequired }) =>
    isRequired ? `${key(name)}: ${inModule(type, false)}` : `${key(name)}?: ${inModule(type, false)} | undefined`,
  );
  const isAsked = query.some(({ isRequired }) => isRequired);
  const parts = [
    ...(params.length === 0 ? [] : [`params: { ${params.map((name) => `${name}: string`).join('; ')} }`]),
    ...(asked.length === 0
      ? []
      : [`query${isAsked ? '' : '?'}: { ${asked.join('; ')} }${isAsked ? '' : ' | undefined'}`]),
    ...(body === undefined ? [] : [`body: ${inModule(body, false)}`]),
  ];
  return [
    `${docComment(summary, '  ')}  ${id}: {`,
    parts.length === 0
      ? '    given: Record<never, never>;'
      : `    given: {\n${parts.map((part) => `      ${part};\n`).join('')}    };`,
    `    answer: ${answer === undefined ? 'undefined' : inModule(answer, true)};`,
    '  };\n',
  ].join('\n');
}

/** Types of another module; texts of literals stay as they are. */
const inModule = (type: Type, isAnswered: boolean): string =>
  expression(type, isAnswered).replace(/(?<!['\w.])([A-Z]\w*)\b(?!')/g, (name) =>
    name === 'Record' || name === 'Blob' ? name : `t.${name}`,
  );
