import { defineErrors } from '@berth/contract';

export const installErrors = defineErrors({
  join_token_refused: {
    status: 401,
    message:
      'This is no join token of this deployment that still lets a machine join. Make a new one: berth-server create-join-token --command.',
  },
  install_unavailable: {
    status: 404,
    message:
      'This deployment keeps no release for further machines. On its first machine run: berth-server up --runners --archive berth-VERSION-linux-x64.tar.gz.',
  },
});
