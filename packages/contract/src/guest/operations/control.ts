import { ControlStateShape, MessageAnswer, QuiesceShape, ReloadShape } from '../answers.ts';
import { ControlEnvironmentRequest } from '../control.ts';
import { json, operationWithTag } from './operation.ts';

const operation = operationWithTag('Control');

export const controlOperations = {
  controlState: operation({
    summary: 'What is open, since when not, and which generation of variables is set.',
    answer: json(ControlStateShape),
    signed: true,
    statuses: [],
  }),
  controlEnvironment: operation({
    summary: 'Sets a generation of variables.',
    body: { json: ControlEnvironmentRequest },
    answer: json(ReloadShape),
    signed: true,
    statuses: [400, 409, 413],
  }),
  controlQuiesce: operation({
    summary: 'Says whether the sandbox may sleep.',
    answer: json(QuiesceShape),
    signed: true,
    statuses: [409],
  }),
  controlRehearse: operation({
    summary: 'Runs a command for nobody, so that the first one of an owner finds everything loaded. Leaves no trace.',
    answer: json(MessageAnswer),
    signed: true,
    statuses: [],
  }),
};
