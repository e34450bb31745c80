// Tables as CSV, RFC 4180.
import { StreamedAnswer } from '../http/call.ts';

/** A spreadsheet runs text that begins like this as a formula. The quote makes it plain text again, as OWASP advises. */
export const csvText = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const escaped = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Cells are numbers, names of ours, or results of `csvText`. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(escaped).join(',')}\r\n`;

/** `fileName` has no quotes. */
export const csvAnswer = (lines: AsyncIterable<string>, fileName: string): StreamedAnswer =>
  new StreamedAnswer(lines, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
  });
