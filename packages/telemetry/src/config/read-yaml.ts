import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument } from 'yaml';
import { ConfigError } from './config-error.ts';
import { isRecord, type Values } from './values.ts';

export function readYamlFile(file: string): Values {
  const text = readText(file, file);
  const parsed = parseYaml(text);
  if ('error' in parsed) {
    throw new ConfigError([
      { key: file, reason: `it is not valid YAML (${parsed.error}).`, next: 'Correct that line.' },
    ]);
  }
  if (parsed.value === null) return {};
  if (isRecord(parsed.value)) return parsed.value;
  throw new ConfigError([
    { key: file, reason: 'it holds no mapping.', next: 'Write it as "section:" and keys below.' },
  ]);
}

/** The parser's own message quotes the source, which may hold a secret: only its code and place are kept. */
export function parseYaml(text: string): { value: unknown } | { error: string } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter });
  const [error] = document.errors;
  if (error) return { error: `${error.code} in line ${lineCounter.linePos(error.pos[0]).line}` };
  return { value: document.toJS() };
}

export function readText(file: string, key: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const next = 'Give the path of a file that this process may read.';
    throw new ConfigError([{ key, reason: `the file ${file} cannot be read (${code}).`, next }]);
  }
}
