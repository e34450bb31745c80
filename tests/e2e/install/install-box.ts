// A box with everything that an operator brings along to a machine without the internet: a release, images and an authority for
// certificates.
import { resolve } from 'node:path';
import { AcmeServer } from '../../../engines/acme.ts';
import { Box } from '../../../engines/box/box.ts';
import { imagesFolder } from '../../../engines/box/images/images.ts';
import { builtRelease } from '../../../engines/release.ts';

export const domain = 'box.test';
const media = { release: '/media/release', images: '/media/images', deploy: '/media/deploy', acme: '/media/acme' };
const deploy = resolve(import.meta.dirname, '../../../deploy');

export interface InstallBox extends AsyncDisposable {
  readonly box: Box;
  readonly acme: AcmeServer;
  /** The command of the operator. */
  readonly install: string;
}

export interface InstallBoxOptions {
  readonly name: string;
  readonly number: number;
  /** Installs ClickHouse too. */
  readonly logs: boolean;
}

export async function startInstallBox({ name, number, logs }: InstallBoxOptions): Promise<InstallBox> {
  await using made = new AsyncDisposableStack();
  const { folder, archive } = await builtRelease();
  const images = await imagesFolder({ logs });
  const acmeFolder = await AcmeServer.folder(name);
  const box = made.use(
    await Box.start({
      ...{ name, number, memoryMb: 4_096 },
      folders: { [media.release]: folder, [media.images]: images, [media.deploy]: deploy, [media.acme]: acmeFolder },
    }),
  );
  const acme = made.use(await AcmeServer.start({ name, host: box.outside, target: box.address }));
  await box.run(`echo '${box.address} api.${domain} run.${domain}' >>/etc/hosts`);
  const install = [
    `sh ${media.deploy}/install.sh --from ${media.release}/${archive} --key ${media.release}/public.pem`,
    `--images ${media.images} --domain ${domain} --email ops@${domain} --yes`,
    `--acme-ca ${acme.url} --acme-root ${media.acme}/acme.pem`,
    ...(logs ? [] : ['--without-logs']),
  ].join(' ');
  const kept = made.move();
  return { box, acme, install, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
