/**
 * Node's own HTTP. An `import` of it asks for all that it exports, also for what it loads only then: HTTP/2, and a whole second client with its
 * WebSockets. These took 5 MB of every process and thread that came by here, and are used by nobody. A law test looks for such imports.
 */
export const http = process.getBuiltinModule('node:http');

/** Of it, what opens nothing. */
export const { STATUS_CODES } = http;
