/**
 * Node's own HTTP. An `import` of it asks for all that it exports, also for what it loads only then: a whole second client with its
 * WebSockets. It took 2 to 3 MB of an idle service, which does not use it. A law test looks for such imports.
 */
export const http = process.getBuiltinModule('node:http');

/** Of it, what opens nothing. */
export const { STATUS_CODES } = http;
