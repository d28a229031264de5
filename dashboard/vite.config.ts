import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Every file also compressed, so that the service has nothing to do but to hand it out. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    closeBundle: () => {
      for (const place of ['assets', 'static']) {
        for (const name of readdirSync(join(folder, place))) {
          // A typeface is packed already.
          if (name.endsWith('.woff2')) continue;
          const file = join(folder, place, name);
          const bytes = readFileSync(file);
          writeFileSync(`${file}.br`, brotliCompressSync(bytes));
          writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
        }
      }
    },
  };
}

// oxlint-disable-next-line import/no-default-export -- this is how Vite finds it
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed()],
  build: {
    target: 'es2023',
    manifest: true,
    emptyOutDir: true,
    // Inlined files would be data: URLs, which the Content-Security-Policy refuses.
    assetsInlineLimit: 0,
    // The manifest is read by a test; nobody else needs to know how large things are.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    // What is needed at first is one file: it packs better than fifty, and comes in one round trip.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } } },
  },
  // For work on the page: `npm run dashboard:dev` beside a running service.
  server: {
    proxy: {
      '/api': 'http://127.0.0.1:8080',
      '/sign-in': 'http://127.0.0.1:8080',
      '/docs': 'http://127.0.0.1:8080',
      '/openapi.json': 'http://127.0.0.1:8080',
    },
  },
});
