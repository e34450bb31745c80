// Path parameters, typed by their path.
import { z } from 'zod';

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type ParamNames<Path extends string> = string extends Path ? string : NamesIn<Path>;

export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? '');

type TextShape<Names extends string> = Record<Names, z.ZodString>;

const coversNames = <Path extends string>(
  shape: Record<string, z.ZodString>,
  path: Path,
): shape is TextShape<ParamNames<Path>> => pathParameters(path).every((name) => name in shape);

/** Accepts any bounded text: a name that cannot exist is simply not found. */
export function pathParams<const Path extends string>(path: Path): z.ZodObject<TextShape<ParamNames<Path>>> {
  const shape = Object.fromEntries(pathParameters(path).map((name) => [name, z.string().min(1).max(256)]));
  if (!coversNames(shape, path)) throw new Error(`${path} has parameters that are not words`);
  return z.object(shape);
}

/** Path of an operation together with its parameters. */
export const at = <const Path extends string>(path: Path) => ({ path, params: pathParams(path) });
