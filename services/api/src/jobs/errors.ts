import { defineErrors } from '@berth/contract';

export const jobErrors = defineErrors({
  path_taken: {
    status: 409,
    message:
      'The path {path} is taken by the {kind} {name} of this workspace. Choose another path, or remove it there first.',
  },
  volumes_refused: { status: 400, message: 'The volumes of the job cannot be mounted: {reason}' },
});
