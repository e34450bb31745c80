import { readFile } from 'node:fs/promises';

/** Where a role serves its health, which its log says at every start; the newest counts. */
async function healthUrl(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes('"msg":"role started"'));
  return String(JSON.parse(lines.at(-1) ?? '{}').health);
}

/** What a role counts now, by name with its labels as they are written. */
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
