import { defineErrors } from '@berth/contract';

export const jobErrors = defineErrors({
  volumes_refused: { status: 400, message: 'The volumes of the job cannot be mounted: {reason}' },
});
