// A box with everything that an operator brings along to a machine without the internet: a release, images and an authority for
// certificates.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AcmeServer } from '../../../engines/acme.ts';
import { Box } from '../../../engines/box/box.ts';
import { imagesFolder } from '../../../engines/box/images/images.ts';
import { builtRelease } from '../../../engines/release.ts';
import { runFolder } from '../../../engines/run.ts';
import { tinyImageTar } from '../../../engines/tiny-image.ts';

export const domain = 'box.test';
export const media = {
  operator: '/media/operator',
  release: '/media/release',
  images: '/media/images',
  deploy: '/media/deploy',
  acme: '/media/acme',
};
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
  /** More folders of this machine, by their paths in the box. */
  readonly folders?: Readonly<Record<string, string>>;
}

export async function startInstallBox({ name, number, folders = {} }: InstallBoxOptions): Promise<InstallBox> {
  await using made = new AsyncDisposableStack();
  const { folder, archive } = await builtRelease();
  const images = await imagesFolder();
  const operator = await runFolder(`operator-${name}`);
  await writeFile(join(operator, 'tiny.tar'), await tinyImageTar());
  const acmeFolder = await AcmeServer.folder(name);
  const box = made.use(
    await Box.start({
      ...{ name, number, memoryMb: 4_096 },
      folders: {
        [media.release]: folder,
        [media.images]: images,
        [media.deploy]: deploy,
        [media.acme]: acmeFolder,
        [media.operator]: operator,
        ...folders,
      },
    }),
  );
  const acme = made.use(await AcmeServer.start({ name, host: box.outside, target: box.address }));
  // The operator's own container, image and settings of Docker.
  await box.run(
    `mkdir -p /etc/docker && echo '{"log-level": "info"}' >/etc/docker/daemon.json && systemctl reload docker`,
  );
  await box.run(
    `docker import ${media.operator}/tiny.tar operator:1 && docker run --detach --name own operator:1 sleep 100000`,
  );
  await box.run(`echo '${box.address} api.${domain} run.${domain}' >>/etc/hosts`);
  const install = [
    `sh ${media.deploy}/install.sh --from ${media.release}/${archive} --key ${media.release}/public.pem`,
    `--images ${media.images} --domain ${domain} --email ops@${domain} --yes`,
    `--acme-ca ${acme.url} --acme-root ${media.acme}/roots.pem`,
    '--without-logs',
  ].join(' ');
  const kept = made.move();
  return { box, acme, install, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
