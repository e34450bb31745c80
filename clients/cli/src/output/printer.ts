// Prints results: as a table for people, as JSON or YAML for programs. Progress goes to the error stream, so that a result can be
// piped.
import { stringify } from 'yaml';
import { UsageError } from '../exit-codes.ts';

export type Form = 'table' | 'json' | 'yaml';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | undefined;
}

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export class Printer {
  readonly #form: Form;
  readonly #streams: Streams;

  constructor(form: string | undefined, streams: Streams) {
    if (form !== undefined && form !== 'table' && form !== 'json' && form !== 'yaml')
      throw new UsageError(`"${form}" is no form of output. Known are table, json and yaml.`);
    this.#form = form ?? 'table';
    this.#streams = streams;
  }

  /** Rows, or the values that they were made from. */
  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    if (this.#form === 'table') this.#streams.out(table(rows, columns));
    else this.#value(rows);
  }

  /** One thing: its table has a line for each column. */
  one<Row>(row: Row, columns: readonly Column<Row>[]): void {
    if (this.#form !== 'table') {
      this.#value(row);
      return;
    }
    const lines = columns.map(({ title, of }) => ({ title, value: of(row) ?? '' }));
    this.#streams.out(
      table(lines, [
        { title: '', of: (line) => line.title },
        { title: '', of: (line) => line.value },
      ]),
    );
  }

  /** One of many things, as they come: a line each, and a document each in YAML. */
  next<Row>(row: Row, columns: readonly Column<Row>[]): void {
    if (this.#form === 'table') this.#streams.out(`${columns.map(({ of }) => String(of(row) ?? '')).join('  ')}\n`);
    else this.#streams.out(this.#form === 'json' ? `${JSON.stringify(row)}\n` : `---\n${stringify(row)}`);
  }

  /** Bytes of a process, as they come. */
  raw(text: string, stream: 'out' | 'err' = 'out'): void {
    this.#streams[stream](text);
  }

  /** For people alone. */
  note(text: string): void {
    this.#streams.err(`${text}\n`);
  }

  #value(value: unknown): void {
    this.#streams.out(this.#form === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringify(value));
  }
}

function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const texts = rows.map((row) => columns.map(({ of }) => String(of(row) ?? '')));
  const titles = columns.map(({ title }) => title.toUpperCase());
  const lines = titles.some((title) => title !== '') ? [titles, ...texts] : texts;
  const widths = columns.map((_, at) => Math.max(0, ...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, at) => text.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
