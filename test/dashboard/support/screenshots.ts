// `npm run dashboard:screenshots [names…]`: every view in light and dark, on a desktop and on a phone, into a temporary folder.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDashboard } from './dashboard.ts';
import { PAGES } from './pages.ts';
import { makeSampleWorld } from './sample-world.ts';

const SCREENS = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'syncline-screenshots-'));
const dashboard = await startDashboard();
try {
  const world = await makeSampleWorld(dashboard.service);
  const pages = PAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  for (const [screen, viewport] of Object.entries(SCREENS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const signIn = await dashboard.open('/', { viewport, colorScheme });
      await signIn.getByRole('heading', { name: 'Sign in' }).waitFor();
      if (wanted.length === 0) await signIn.screenshot({ path: join(folder, `sign-in-${screen}-${colorScheme}.png`) });
      await signIn.context().close();
      for (const { name, path, ready } of pages) {
        const page = await dashboard.openSignedIn(path(world), { viewport, colorScheme });
        await page.getByText(ready).first().waitFor();
        await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
        await page.waitForTimeout(700);
        await page.screenshot({ path: join(folder, `${name}-${screen}-${colorScheme}.png`), fullPage: true });
        await page.context().close();
      }
    }
  }
} finally {
  await dashboard.close();
}
console.log(folder);
