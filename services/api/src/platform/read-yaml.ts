// Catalogues are files of the repository. They are read once at start; an invalid catalogue stops the start.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

export function readYaml<S extends z.ZodType>(file: URL, schema: S): z.output<S> {
  const read = schema.safeParse(parse(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  throw new Error(`${file.pathname} is not a valid catalogue:\n${z.prettifyError(read.error)}`);
}

/** Names are part of addresses and identify entries, so a duplicate is refused. */
export const uniquelyNamed = <Item extends z.ZodType<{ readonly name: string }>>(item: Item) =>
  z
    .array(item)
    .refine((items) => new Set(items.map(({ name }) => name)).size === items.length, 'a name is there twice');
