// Headers of every answer: rules for pages of other origins, and no caching, since a proxy once served a file that had
// changed.
import { browserHeaders } from '@berth/contract/guest';
import type { Settings } from '../settings.ts';

export function commonHeaders({ brand }: Settings): Readonly<Record<string, string>> {
  return {
    ...browserHeaders(brand),
    'Cache-Control': 'no-cache, no-store, must-revalidate',
    Pragma: 'no-cache',
    Expires: '0',
    'X-Content-Type-Options': 'nosniff',
  };
}
