import { defineErrors } from '@berth/contract';

export const nodeErrors = defineErrors({
  runner_unknown: {
    status: 401,
    message:
      'No runner of this deployment has this certificate. Join again with a new token: berth-server create-join-token.',
  },
  join_refused: {
    status: 401,
    message: 'The join token is {why}. Make a new one: berth-server create-join-token --region <region>.',
  },
  runner_name_taken: {
    status: 409,
    message: 'A runner named {name} has joined already. Set runner.name to another name and join with a new token.',
  },
  bad_certificate_request: {
    status: 400,
    message:
      'The certificate request cannot be read. Remove the runner\u2019s key from its state folder and join again.',
  },
  protocol_unsupported: {
    status: 400,
    message:
      'This api speaks node protocol {ours}, the runner {theirs}. Upgrade the older of the two: berth-server upgrade ARCHIVE.',
  },
  session_over: { status: 409, message: 'A newer stream of this runner is open. Open a stream again to speak on it.' },
});
