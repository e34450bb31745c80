import type { Logger } from '@berth/telemetry';
import type { Choices } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';

export interface UpContext extends Installation {
  readonly logger: Logger;
  readonly choices: Choices;
  readonly release: { readonly folder: string; readonly version: string };
  /** Folder with archives of images and `images.env`. */
  readonly imagesFolder: string | undefined;
  /** Archive of the control plane's image, which lies beside that of the release. */
  readonly controlImage: string | undefined;
  readonly acmeRoot: string | undefined;
  readonly wildcard: { readonly certificate: string; readonly key: string } | undefined;
  /** Asks for a yes on a terminal; without one, or with --yes, the answer is yes. */
  agree(question: string): Promise<boolean>;
}
