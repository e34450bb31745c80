import type { Logger } from '@berth/telemetry';
import type { Installation } from '../install/installation.ts';

export interface UninstallContext extends Installation {
  readonly logger: Logger;
  readonly deletesData: boolean;
}
