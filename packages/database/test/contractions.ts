// Finds statements of a migration that a server of the version before could not work with: during an upgrade, and after a way back, it runs on
// the newer schema. So a version only adds, and the one after it takes away what is no longer used, and says so in a comment.

/** The comment above the statements: `-- contracts: nothing reads runs.seconds since 0.2.0`. */
const mark = /^--\s*contracts:\s*\S+/m;

const shapes: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /\bdrop\s+(table|view|materialized|function|procedure|trigger|type|schema)\b/,
    reason: 'drops what an earlier server may use',
  },
  { pattern: /\bdrop\s+column\b/, reason: 'drops a column that an earlier server may name' },
  { pattern: /\brename\b/, reason: 'takes away a name that an earlier server uses' },
  { pattern: /\balter\s+column\s+\S+\s+(set\s+data\s+)?type\b/, reason: 'changes a type that an earlier server reads' },
  { pattern: /\balter\s+column\s+\S+\s+set\s+not\s+null\b/, reason: 'refuses rows that an earlier server writes' },
  { pattern: /\balter\s+column\s+\S+\s+drop\s+default\b/, reason: 'refuses rows that an earlier server writes' },
];

/** `statement: reason`, for each statement that the mark does not allow. */
export function contractions(sql: string): string[] {
  if (mark.test(sql)) return [];
  return statementsOf(sql).flatMap((statement) => {
    const found = shapes.find(({ pattern }) => pattern.test(statement));
    const reason =
      found?.reason ?? (addsRequired(statement) ? 'refuses rows that an earlier server writes' : undefined);
    return reason === undefined ? [] : [`${statement.slice(0, 80)}: ${reason}`];
  });
}

/** Columns of a new table are of no earlier server's concern. */
const addsRequired = (statement: string): boolean =>
  /^alter\s+table\b/.test(statement) &&
  statement
    .split(/\badd\s+(?:column\s+)?/)
    .slice(1)
    .some((column) => /\bnot\s+null\b/.test(column) && !/\b(default|generated)\b/.test(column));

/** In lower case, without comments and without the bodies of functions. */
const statementsOf = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .toLowerCase()
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => statement !== '');
