import { runCli } from './cli/cli.ts';

// Who reads through a pipe may have had enough (`syncline keys list | head -1`). What is under way goes on: it may be a restore.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await runCli(process.argv.slice(2));
