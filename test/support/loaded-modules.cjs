// Writes down, when a process ends, which modules its main thread has loaded: those of Node by their names, others by their addresses.
const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.env.LOADED_MODULES) {
  const files = [];
  registerHooks({
    load: (url, context, next) => {
      files.push(url);
      return next(url, context);
    },
  });
  process.on('exit', () => {
    const own = process.moduleLoadList.map((name) => name.replace('NativeModule ', ''));
    writeFileSync(process.env.LOADED_MODULES, [...own, ...files].join('\n'));
  });
}
