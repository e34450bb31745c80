import { readFile } from 'node:fs/promises';

/** Health address of a role, read from the newest start in its log. */
export async function healthUrl(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes('"msg":"role started"'));
  return String(JSON.parse(lines.at(-1) ?? '{}').health);
}

/** Current metrics of a role, by name with labels as printed. */
export async function metricsOf(
  logFile: string,
  read: (url: string) => Promise<string> = async (url) => (await fetch(url)).text(),
): Promise<ReadonlyMap<string, number>> {
  const page = await read(`${await healthUrl(logFile)}/metrics`);
  const pairs = page.split('\n').flatMap((line): [string, number][] => {
    const [, name, value] = /^([^#\s].*) (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, Number(value)]];
  });
  return new Map(pairs);
}
