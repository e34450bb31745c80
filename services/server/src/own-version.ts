import { readFileSync } from 'node:fs';
import { assetUrl } from '@berth/release';
import { z } from 'zod';

const Package = z.object({ version: z.string() });

/** All packages have one version, and a release holds the runner's. */
export const ownVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(assetUrl('services/runner/package.json'), 'utf8'))).version;
