// Where the files lie that belong to the programs. In the repository each lies where it belongs; a release holds data under the
// same paths, and every program as one file below `server/`.
import { fileURLToPath } from 'node:url';

/** Data that programs read. Folders end with a slash. */
export const assets = [
  'CHANGELOG.md',
  'deploy/',
  'packages/database/migrations/',
  'services/api/src/platform/mcp-hub.yaml',
  'services/api/src/platform/sandbox-hub.yaml',
  'services/runner/package.json',
  'templates/',
] as const;

/** Programs, in processes of their own. */
export const programs = {
  'berth-server': 'services/server/src/main.ts',
  'ingress-process': 'services/runner/src/ingress/ingress-process.ts',
  'firewall-probe': 'services/runner/src/network/firewall/probe.ts',
} as const;

const isRepository = import.meta.url.endsWith('.ts');
/** All bundled files are in one folder. */
const root = new URL(isRepository ? '../../../' : '../', import.meta.url);

/** Folder of the release that runs; undefined in the repository. */
export const releaseFolder = isRepository ? undefined : fileURLToPath(root).replace(/\/$/, '');

export const assetUrl = (asset: (typeof assets)[number]): URL => new URL(asset, root);

export const programPath = (program: keyof typeof programs): string =>
  fileURLToPath(new URL(isRepository ? programs[program] : `server/${program}.js`, root));
