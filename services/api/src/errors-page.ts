import { errorTables } from './error-tables.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\{(\w+)\}/g, '*$1*');

/** docs/errors.md: a table per feature, each code with its status and its message. */
export function errorsPage(): string {
  const tables = errorTables.map(({ about, table }) => {
    const rows = Object.entries(table).map(
      ([code, { status, message }]) => `| \`${code}\` | ${status} | ${cell(message)} |`,
    );
    return [`## ${about}`, '', '| Code | Status | Message |', '|---|---|---|', ...rows].join('\n');
  });
  return [
    '# Errors',
    '',
    'An error of the management API is `{"error": "<code>", "code": <status>, "message": "<what went wrong, and what to do>"}`. Codes',
    'are stable; messages may improve. Creating a sandbox answers in a form of its own, with the code in capitals. This page is',
    'made from the code by `pnpm errors`; words in italics are filled in.',
    '',
    tables.join('\n\n'),
    '',
  ].join('\n');
}
