// Repository lists of a job that runs CI: given as an array, as JSON text or as comma-separated text, kept as an array.
import { z } from 'zod';

const RepositoryName = z
  .string()
  .max(256)
  .regex(/^[\w.-]+\/[\w.-]+$/, 'owner/repository');

const maxTextLength = 65_536;

function split(text: string): unknown {
  if (!text.trim().startsWith('[')) {
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const Repositories = z
  .union([z.array(z.string().max(256)).max(1000), z.string().max(maxTextLength)])
  .transform((given) => (typeof given === 'string' ? split(given) : given))
  .pipe(z.array(RepositoryName, 'a list of owner/repository, as an array or as text').max(1000));
