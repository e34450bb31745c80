// Reads classes, methods and their descriptions from a Python module. It understands the form of our own sources: four spaces, a
// docstring behind the head, and comments before attributes.
import type { Declared, Member } from './reference-page.ts';

export interface PythonClass extends Declared {
  readonly bases: readonly string[];
}

/** Reads one module. A constructor is public where it has a docstring; names with an underscore are not. */
export function readPython(part: string, source: string): PythonClass[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    const alias = /^([A-Z]\w*) = (\w+(?: \| \w+)+)$/.exec(line);
    if (alias !== null) {
      const [, name = '', text = ''] = alias;
      return [{ name, heading: name, doc: '', part, members: [], bases: [], text: `${name} = ${text}` }];
    }
    const head = /^class (\w+)(?:\((.*)\))?:$/.exec(line);
    if (head === null) return [];
    const [, name = '', bases = ''] = head;
    const end = lines.findIndex((each, index) => index > at && /^\S/.test(each));
    const body = lines.slice(at + 1, end === -1 ? undefined : end);
    return [
      { name, heading: `class ${name}`, doc: docstring(body), part, members: membersOf(body), bases: names(bases) },
    ];
  });
}

const names = (text: string): string[] => text.split(', ').filter((name) => name !== '');

/** The docstring that these lines begin with. */
function docstring(lines: readonly string[]): string {
  const found = /^\s*"""([\s\S]*?)"""/.exec(lines.join('\n'));
  return (found?.[1] ?? '').replace(/\s+/g, ' ').trim();
}

function membersOf(body: readonly string[]): Member[] {
  let comment: string[] = [];
  let isProperty = false;
  return body.flatMap((line, at): Member[] => {
    const [, remark] = /^ {4}# (.*)$/.exec(line) ?? [];
    if (remark !== undefined) comment.push(remark);
    if (remark !== undefined || line.trim() === '') return [];
    const doc = comment.join(' ');
    comment = [];
    const attribute = /^ {4}([a-z]\w*): ([^=]+?)(?: = .*)?$/.exec(line);
    if (attribute !== null) return [{ signature: typed(`${attribute[1]}: ${attribute[2]}`), doc }];
    if (/^ {4}@property$/.test(line)) isProperty = true;
    if (!/^ {4}(async )?def /.test(line)) return [];
    const end = body.findIndex((each, index) => index >= at && /:$/.test(each) && /^ {4}(\S.*|\) -> .*):$/.test(each));
    const member = { head: body.slice(at, end + 1).join(' '), doc: docstring(body.slice(end + 1)), isProperty };
    isProperty = false;
    return methodOf(member);
  });
}

function methodOf({ head, doc, isProperty }: { head: string; doc: string; isProperty: boolean }): Member[] {
  const [, name = '', given = '', returned = ''] = /def (\w+)\(\s*(.*?),?\s*\) -> (.*):$/.exec(head) ?? [];
  if (name.startsWith('_') && (name !== '__init__' || doc === '')) return [];
  const parameters = given
    .replace(/\s+/g, ' ')
    .replace(/^self(, |,$|$)/, '')
    .trim();
  if (isProperty) return [{ signature: typed(`${name}: ${returned}`), doc }];
  const signature = name === '__init__' ? `(${parameters})` : `${name}(${parameters}) -> ${returned}`;
  return [{ signature: typed(signature), doc }];
}

/** Modules and unions as programs write them. */
const typed = (text: string): string =>
  text
    .replace(/\bt\./g, 'management.')
    .replace(/\bg\./g, 'guest.')
    .replace(/Union\[([^[\]]*(?:\[[^[\]]*\])?[^[\]]*)\]/g, (_, parts: string) => parts.split(', ').join(' | '));
