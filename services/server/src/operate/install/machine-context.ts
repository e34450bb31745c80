import type { Logger } from '@berth/telemetry';
import type { Installation } from './installation.ts';

/** What the steps need that a whole deployment and a runner alone have in common. */
export interface MachineContext extends Installation {
  readonly logger: Logger;
  readonly release: { readonly folder: string; readonly version: string };
  /** Folder with archives of images and `images.env`. */
  readonly imagesFolder: string | undefined;
  /** Archive of the control plane's image, which lies beside that of the release. */
  readonly controlImage: string | undefined;
  /** Asks for a yes on a terminal; without one, or with --yes, the answer is yes. */
  agree(question: string): Promise<boolean>;
}
