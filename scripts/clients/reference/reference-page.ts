// A reference page from what a reader found in the sources of a client.

export interface Member {
  /** Begins with a bracket for a constructor. */
  readonly signature: string;
  readonly doc: string;
}

export interface Declared {
  readonly name: string;
  readonly heading: string;
  readonly doc: string;
  /** The part of the sources that declares it: a folder in TypeScript, a file in Python. */
  readonly part: string;
  readonly members: readonly Member[];
  /** The whole text, for a declaration without members. */
  readonly text?: string;
}

export interface Page {
  readonly title: string;
  readonly language: string;
  readonly introduction: readonly string[];
  /** Titles of the sections by part of the sources, in the order of the page. */
  readonly sections: Readonly<Record<string, string>>;
  readonly declared: readonly Declared[];
}

export const headOf = (title: string): string => `# ${title}\n\nWritten by \`pnpm clients\` from the sources.\n`;

export function referencePage({ title, language, introduction, sections, declared }: Page): string {
  for (const { name, part } of declared)
    if (!(part in sections)) throw new Error(`${name} is declared in "${part}", which has no section in ${title}.`);
  const bodies = [...new Set(Object.values(sections))].flatMap((section) => {
    const found = declared.filter(({ part }) => sections[part] === section).toSorted(membersFirst);
    return [`## ${section}\n`, ...found.map((each) => declaration(each, language))];
  });
  return `${[headOf(title), introduction.join('\n\n'), '', ...bodies].join('\n').trimEnd()}\n`;
}

const rank = ({ heading, members }: Declared): number =>
  heading.startsWith('class') && members.length > 0 ? 0 : members.length > 0 ? 1 : 2;
const membersFirst = (one: Declared, other: Declared): number => rank(one) - rank(other);

const isConstructor = ({ signature }: Member): number => (signature.startsWith('(') ? 0 : 1);

function declaration({ name, heading, doc, members, text }: Declared, language: string): string {
  const created = `${language === 'ts' ? 'new ' : ''}${name}(`;
  const shown = members.toSorted((one, other) => isConstructor(one) - isConstructor(other));
  return [
    `### \`${heading}\`\n`,
    ...(doc === '' ? [] : [`${doc}\n`]),
    ...(text === undefined ? [] : [`\`\`\`${language}\n${text}\n\`\`\`\n`]),
    ...shown.map(
      ({ signature, doc: about }) =>
        `- \`${signature.replace(/^\(/, created)}\`${about === '' ? '' : `  \n  ${about}`}`,
    ),
    ...(members.length === 0 ? [] : ['']),
  ].join('\n');
}

/** A program could not write down a type that is not exported. */
export function refuseHidden(surface: readonly Declared[], hidden: ReadonlySet<string>): void {
  const exported = new Set(surface.map(({ name }) => name));
  for (const { name, members } of surface)
    for (const { signature } of members)
      for (const [type] of signature.matchAll(/(?<![.'"])\b[A-Z]\w*/g))
        if (hidden.has(type) && !exported.has(type))
          throw new Error(`"${signature}" of ${name} names ${type}, which is not exported.`);
}
