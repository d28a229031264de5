import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { installPackage } from '../../support/debian-package.ts';

// The one without a window comes first: it has the same engine, and none of what it takes to show a browser.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Starts the Chromium of this machine, or Debian's, which is installed when it is missing. */
export function startBrowser(): Promise<Browser> {
  // The sandbox of Chromium does not work for root; in the tests it opens nothing but our own pages.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: chromiumPath(), args: [...args, '--disable-dev-shm-usage', '--disable-gpu'] });
}

function chromiumPath(): string {
  const named = process.env['TEST_CHROMIUM'];
  const found = () => (named === undefined ? PLACES : [named]).find((path) => existsSync(path));
  if (named === undefined && found() === undefined) {
    installPackage(
      'chromium-headless-shell',
      'These tests need Chromium: install it (on Debian: apt-get install chromium), or name one with TEST_CHROMIUM.',
    );
  }
  const path = found();
  if (path === undefined) throw new Error(`There is no Chromium at ${named ?? PLACES.join(', ')}.`);
  return path;
}
