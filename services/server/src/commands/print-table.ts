/** Prints rows in columns that are as wide as their longest text. */
export function printTable(rows: readonly (readonly string[])[], print: (line: string) => void): void {
  const widths: number[] = [];
  for (const row of rows) for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
  for (const row of rows)
    print(
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
