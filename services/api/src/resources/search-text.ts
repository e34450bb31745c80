// Text searched by `q`, and the SQL that searches it. Specification: drive listing, parameter q.
import { type SqlBool, sql } from 'kysely';

interface Searchable {
  readonly name: string;
  readonly displayName: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Separates the parts, so that no query matches across the end of one part and the beginning of the next. */
const separator = '\u001f';

/** Replaces the separator itself, in texts and queries alike; no other character is lost. */
const comparable = (text: string): string => text.replaceAll(separator, ' ').toLowerCase();

export function searchText({ name, displayName, labels }: Searchable): string {
  return [name, displayName ?? '', ...Object.entries(labels ?? {}).flat()].map(comparable).join(separator);
}

/** Undefined when the query is too short to filter. */
export function normalizeQuery(q: string | undefined): string | undefined {
  const text = comparable(q ?? '').trim();
  return [...text].length < 2 ? undefined : text;
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

const bigrams = (text: string): string[] => {
  const letters = [...text];
  return [...new Set(letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`))];
};

/** The actual match; `%` and `_` are ordinary characters. */
export const contains = (text: string) => sql<SqlBool>`search like ${`%${escapeLike(text)}%`}`;

/**
 * Index condition: every match is among these rows. A trigram index serves text with three letters or digits in a row;
 * shorter text and punctuation, which trigrams do not cover, are found through pairs of characters.
 */
export const holdsGrams = (text: string) =>
  /[a-z0-9]{3}/.test(text) ? contains(text) : sql<SqlBool>`search_bigrams(search) @> ${bigrams(text)}::text[]`;
