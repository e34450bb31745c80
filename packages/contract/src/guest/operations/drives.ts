import { DriveMountListShape } from '../answers.ts';
import { DriveMountRequest } from '../system.ts';
import { json, operationWithTag } from './operation.ts';

const operation = operationWithTag('Drives');

export const drivesOperations = {
  driveList: operation({ summary: 'Lists mounted drives.', answer: json(DriveMountListShape), statuses: [] }),
  driveMount: operation({
    summary: 'Mounts a drive; there is no storage for them yet.',
    body: { json: DriveMountRequest },
    statuses: [400, 413, 501],
  }),
  driveUnmount: operation({
    summary: 'Unmounts a drive.',
    path: { path: 'Where it is mounted, with or without its first slash.' },
    statuses: [400, 404],
  }),
};
