// Reads the public surface of a TypeScript package: what its index.ts exports, with signatures and doc comments. It reads syntax
// alone, so what is public needs written types.
import { dirname, posix } from 'node:path';
import { type ESTree, type ParseResult, parseSync } from 'rolldown/utils';
import { type Declared, type Member, refuseHidden } from './reference-page.ts';

type Sources = Readonly<Record<string, string>>;
type Declaration = ESTree.Class | ESTree.TSInterfaceDeclaration | ESTree.TSTypeAliasDeclaration;

interface Found {
  readonly name: string;
  readonly node: Declaration;
  readonly doc: string;
  readonly file: File;
}

interface File {
  readonly path: string;
  readonly text: string;
  readonly body: ESTree.Program['body'];
  readonly comments: ParseResult['comments'];
}

/** Sources by path below the folder of index.ts. */
export function readTypescript(sources: Sources): Declared[] {
  const files = Object.entries(sources).map(([path, text]): File => {
    const { program, comments } = parseSync(path, text);
    return { path, text, body: program.body, comments };
  });
  const found = files.flatMap(declarationsIn);
  const publicNames = new Map(files.filter(({ path }) => path === 'index.ts').flatMap(exportedNames));
  const surface = [...publicNames].flatMap(([key, name]) => {
    const declaration = found.find(({ file, name: own }) => keyOf(file.path, own) === key);
    return declaration === undefined ? [] : [declared(declaration, name, found, publicNames)];
  });
  const hidden = found.filter(({ file, name }) => !isGenerated(file) && !publicNames.has(keyOf(file.path, name)));
  refuseHidden(surface, new Set(hidden.map(({ name }) => name)));
  return surface;
}

const keyOf = (path: string, name: string): string => `${path} ${name}`;

/** Index.ts exports the generated types as a whole. */
const isGenerated = ({ path }: File): boolean => path.startsWith('generated/');

/** Names that programs import, by file and name of the declaration. */
const exportedNames = ({ body }: File): [string, string][] =>
  body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source === null) return [];
    const path = posix.normalize(statement.source.value);
    return statement.specifiers.map(({ local, exported }): [string, string] => [
      keyOf(path, nameOf(local)),
      nameOf(exported),
    ]);
  });

const nameOf = (name: ESTree.ModuleExportName): string => (name.type === 'Literal' ? name.value : name.name);

const declarationsIn = (file: File): Found[] =>
  file.body.flatMap((statement) => {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined;
    if (
      node?.type !== 'ClassDeclaration' &&
      node?.type !== 'TSInterfaceDeclaration' &&
      node?.type !== 'TSTypeAliasDeclaration'
    )
      return [];
    return node.id === null ? [] : [{ name: node.id.name, node, doc: docBefore(statement.start, file), file }];
  });

/** The text of a doc comment that ends where a declaration starts. */
function docBefore(start: number, { comments, text }: File): string {
  const comment = comments.find(({ end }) => end <= start && text.slice(end, start).trim() === '');
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return '';
  return comment.value
    .replace(/^\s*\*+\s?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function declared(declaration: Found, name: string, all: readonly Found[], names: Map<string, string>): Declared {
  const { node, doc, file } = declaration;
  const renamed = renamer(file, names);
  const base = node.type === 'ClassDeclaration' && node.superClass?.type === 'Identifier' ? node.superClass.name : '';
  const hidden = all.find((each) => each.name === base && !names.has(keyOf(each.file.path, each.name)));
  const part = dirname(file.path);
  if (node.type === 'TSTypeAliasDeclaration')
    return { name, heading: `type ${name}`, doc, part, members: [], text: renamed(sliced(node, file)) };
  if (node.type === 'TSInterfaceDeclaration') {
    const bases =
      node.extends.length === 0 ? '' : ` extends ${node.extends.map((each) => sliced(each, file)).join(', ')}`;
    return { name, heading: `interface ${renamed(name + bases)}`, doc, part, members: fieldsOf(node, file, renamed) };
  }
  const inherited = hidden?.node.type === 'ClassDeclaration' ? hidden : undefined;
  return {
    ...{ name, doc, part },
    heading: `class ${name}${base === '' || inherited !== undefined ? '' : ` extends ${base}`}`,
    members: [declaration, inherited].flatMap((each) =>
      each?.node.type === 'ClassDeclaration' ? methodsOf(each.node, each.file, renamer(each.file, names)) : [],
    ),
  };
}

const sliced = ({ start, end }: ESTree.Span, { text }: File): string => text.slice(start, end);
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/([([<]) /g, '$1')
    .replace(/,? ([)\]>])/g, '$1')
    .replace(/\breadonly (?=\w+\??:)/g, '')
    .replace(/; }/g, ' }')
    .replace(/(\w+\?: [^;{}()]+?) \| undefined(?=$|[;) }])/g, '$1')
    .replace(/\} \| undefined(?=$|[; ])/g, '}')
    .replace(/^(\w+\?: )\((\(.*)\) \| undefined$/, '$1$2');

/** Writes each type under the name that programs import it by. */
function renamer({ path, body }: File, names: Map<string, string>): (text: string) => string {
  const known = new Map<string, string>();
  for (const [key, name] of names) if (key.startsWith(`${path} `)) known.set(key.slice(path.length + 1), name);
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration') continue;
    const from = posix.join(dirname(path), statement.source.value);
    for (const specifier of statement.specifiers) {
      if (specifier.type !== 'ImportSpecifier') continue;
      const imported = nameOf(specifier.imported);
      const own = names.get(keyOf(from, imported)) ?? imported;
      known.set(specifier.local.name, from.endsWith('generated/guest.ts') ? `guest.${own}` : own);
    }
  }
  return (text) => text.replace(/\bt\./g, '').replace(/(?<!\.)\b[A-Z]\w*/g, (name) => known.get(name) ?? name);
}

const isInternal = (doc: string): boolean => doc.startsWith('@internal');

const fieldsOf = (node: ESTree.TSInterfaceDeclaration, file: File, renamed: (text: string) => string): Member[] =>
  node.body.body.flatMap((field) => {
    const doc = docBefore(field.start, file);
    if (isInternal(doc)) return [];
    return [{ signature: renamed(plain(sliced(field, file).replace(/;$/, ''))), doc }];
  });

function methodsOf(node: ESTree.Class, file: File, renamed: (text: string) => string): Member[] {
  const seen = new Set<string>();
  return node.body.body.flatMap((member) => {
    if (member.type !== 'MethodDefinition' && member.type !== 'PropertyDefinition') return [];
    if (member.key.type !== 'Identifier' || member.computed || member.accessibility === 'private') return [];
    const doc = docBefore(member.start, file);
    const { name } = member.key;
    if (isInternal(doc) || (name === 'constructor' && doc === '')) return [];
    const signature = 'kind' in member ? methodText(member, file) : propertyText(member, file);
    // The implementation of overloads is not public.
    if (member.type === 'MethodDefinition' && member.value.body !== null && seen.has(name)) return [];
    seen.add(name);
    return [{ signature: renamed(plain(signature)), doc }];
  });
}

const propertyText = ({ key, typeAnnotation }: ESTree.PropertyDefinition, file: File): string =>
  `${sliced(key, file)}${typeAnnotation == null ? '' : sliced(typeAnnotation, file)}`;

function methodText({ key, kind, value }: ESTree.MethodDefinition, file: File): string {
  const returned = value.returnType == null ? '' : sliced(value.returnType, file);
  if (kind === 'get') return `${sliced(key, file)}${returned}`;
  const types = value.typeParameters == null ? '' : sliced(value.typeParameters, file);
  const given = value.params.map((param) => parameterText(param, file)).join(', ');
  return `${kind === 'constructor' ? '' : sliced(key, file)}${types}(${given})${returned}`;
}

/** A parameter with a default is optional. A destructured parameter is called `options`. */
function parameterText(param: ESTree.ParamPattern, file: File): string {
  const pattern = param.type === 'AssignmentPattern' ? param.left : param;
  if (pattern.type !== 'Identifier' && pattern.type !== 'ObjectPattern') return sliced(param, file);
  if (pattern.typeAnnotation == null || (pattern === param && pattern.type === 'Identifier'))
    return sliced(param, file);
  const name = pattern.type === 'Identifier' ? pattern.name : 'options';
  return `${name}${pattern === param ? '' : '?'}${sliced(pattern.typeAnnotation, file)}`;
}
