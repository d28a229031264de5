import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CLIENT } from '../support/issuer-people.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { freePort } from '../support/postgres-server.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('signing in at an OIDC issuer', () => {
  let issuer: OidcIssuer;
  let dashboard: Dashboard;
  /** Another host than the issuer's: for the browser they are different sites, as in earnest. */
  let baseURL: string;
  before(async () => {
    issuer = await startOidcIssuer();
    issuer.people.claims = { scope: 'datasync:read orders:read' };
    const port = await freePort();
    baseURL = `http://localhost:${port}`;
    dashboard = await startDashboard({
      environment: {
        PORT: String(port),
        SYNCLINE_OIDC_ISSUER: issuer.url,
        SYNCLINE_OIDC_CLIENT_ID: CLIENT.id,
        SYNCLINE_OIDC_CLIENT_SECRET: CLIENT.secret,
        SYNCLINE_OIDC_NAME: 'Staff login',
        SYNCLINE_PUBLIC_URL: baseURL,
      },
    });
  });
  after(async () => {
    await dashboard.close();
    await issuer.stop();
  });

  test('there and back: the view that one was at, in all tabs; signing out ends it', async () => {
    const page = await dashboard.open('/runs?status=failed', { baseURL });
    const link = page.getByRole('link', { name: 'Sign in with Staff login' });
    await link.waitFor();
    await assertAccessible(page);
    const other = await page.context().newPage();
    await other.goto('/orders');
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await link.click();
    await page.getByRole('link', { name: 'Go on as Ada' }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    assert.equal(page.url(), `${baseURL}/runs?status=failed`);
    // The other tab comes along, and a reload finds the session.
    await other.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.cookie), '');
    await page.getByTitle('What you may do').click();
    await page.getByText(`${issuer.url} says so`).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await link.waitFor();
    assert.equal(await page.evaluate(async () => (await fetch('/api/v1/me')).status), 401);
    // Back in the history lies the way by which one came: it leads nowhere any more.
    await page.goto('/sign-in/oidc/callback?code=x&state=y');
    await page.getByText('This sign-in could not be finished').waitFor();
  });

  test('who opens it by another address of the service is led to the one that people use', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('link', { name: 'Sign in with Staff login' }).click();
    await page.getByRole('link', { name: 'Go on as Ada' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(page.url(), `${baseURL}/`);
  });

  test('what went wrong is told, and what to do; a key works as before', async () => {
    const page = await dashboard.open('/', { baseURL, viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    const link = page.getByRole('link', { name: 'Sign in with Staff login' });
    await link.click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('it was cancelled at Staff login').waitFor();
    await assertFits(page);
    await assertAccessible(page);
    issuer.people.answer = (response) => void response.writeHead(500).end();
    await link.click();
    await page.getByRole('link', { name: 'Go on as Ada' }).click();
    await page.getByText(/Staff login cannot be reached.*or sign in with an API key\..*Request id: req_\w+\./).waitFor();
    issuer.people.answer = undefined;
    await page.getByLabel('API key').fill(dashboard.service.adminKey);
    await page.getByRole('button', { name: 'Sign in with the key' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
  });

  test('an issuer that is slow: the button is busy, and can be used again after the way back and after a while', async () => {
    const page = await dashboard.open('/', { baseURL });
    const link = page.getByRole('link', { name: 'Sign in with Staff login' });
    await link.waitFor();
    const busy = page.locator('a[data-loading]');
    // The issuer does not answer: the browser stays where it is, on a page that is told nothing of it.
    await page.evaluate(() => addEventListener('click', (event) => event.preventDefault()));
    await link.click({ modifiers: ['ControlOrMeta'] });
    assert.equal(await busy.count(), 0, 'what is opened in another tab is not waited for in this one');
    await link.click();
    await busy.waitFor();
    await assertAccessible(page);
    // By the button of the browser one comes back to the page as it was left.
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await busy.waitFor({ state: 'detached' });
    await link.click();
    await busy.waitFor();
    await busy.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
