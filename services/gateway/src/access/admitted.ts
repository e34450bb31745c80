// A caller who may pass, and what of the request was for us.
import type { Principal } from '@berth/identity';
import type { Preview } from '../routing/preview.ts';
import type { NamedPreview, Workload } from '../routing/route.ts';
import type { CredentialPlace } from './credential.ts';

export interface Admitted {
  readonly workload: Workload;
  /** Undefined for a caller of a public workload who did not say who they are. */
  readonly principal: Principal | undefined;
  /** What was meant for us and is not passed on. */
  readonly consumed: CredentialPlace | undefined;
  /** The preview that it came by. */
  readonly preview?: PreviewPass | undefined;
}

export interface PreviewPass {
  readonly preview: Preview;
  /** The name with a path that holds no token. */
  readonly named: NamedPreview;
  /** Value of Set-Cookie, so that what a page fetches and its sockets need no token in their address. */
  readonly cookie: string | undefined;
}
