// What a release is made of, for people and for programs. Pure.
import type { Component } from './components.ts';

const byPurl = (one: Component, other: Component): number => (one.purl < other.purl ? -1 : 1);

export const licencesText = (components: readonly Component[]): string =>
  components
    .toSorted(byPurl)
    .map(({ name, version, licence, licenceText }) => {
      const title = `${name} ${version}${licence === undefined ? '' : ` (${licence})`}`;
      return `${title}\n${'-'.repeat(title.length)}\n\n${licenceText.trim()}\n`;
    })
    .join('\n\n');

/** CycloneDX 1.6. Without a number or a time of its own: the same release has the same bytes. */
export const cycloneDx = (name: string, version: string, components: readonly Component[]): string =>
  `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { component: { type: 'application', name, version } },
      components: components.toSorted(byPurl).map((component) => ({
        type: 'library',
        'bom-ref': component.purl,
        ...{ name: component.name, version: component.version, purl: component.purl },
        ...(component.licence === undefined ? {} : { licenses: [{ license: { name: component.licence } }] }),
      })),
    },
    null,
    1,
  )}\n`;
