// Result of a successful access check: workload, caller, and the parts of the request that were meant for the gateway.
import type { Principal } from '@berth/identity';
import type { Preview } from '../routing/preview.ts';
import type { PreviewRoute } from '../routing/route.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import type { Workload } from '../workloads/workload.ts';
import type { CredentialPlace } from './credential.ts';

export interface AdmittedTo<Found> {
  readonly workload: Found;
  /** Undefined for an anonymous caller of a public workload. */
  readonly principal: Principal | undefined;
  /** Place of the platform credential in the request; it is not forwarded. */
  readonly consumed: CredentialPlace | undefined;
}

export interface Admitted extends AdmittedTo<Workload> {
  /** Set when the request arrived through a preview. */
  readonly preview?: AdmittedPreview | undefined;
  /** Set when the request arrived by the path of a trigger. */
  readonly trigger?: FoundTrigger | undefined;
}

export interface AdmittedPreview {
  readonly preview: Preview;
  /** Named preview; its path has no token in it. */
  readonly route: PreviewRoute;
  /** Value of Set-Cookie. With this cookie the page's fetches and sockets need no token in their address. */
  readonly cookie: string | undefined;
}
