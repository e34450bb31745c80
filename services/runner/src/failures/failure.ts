import type { FailureCode } from '@berth/contract/node';

/** Why an instance was given up, as its owner reads it. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}
