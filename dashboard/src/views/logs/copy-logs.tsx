import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Log } from '../../api/resources.ts';
import { copyText } from '../../parts/action/copy-text.ts';
import { plural } from '../../parts/words/format.ts';
import { CopyIcon } from '../../parts/icons.tsx';
import { notifyDone, notifyFailed } from '../../parts/action/notify.ts';
import { logText } from './log-text.ts';

/** Copies the entries that are on the page, to be sent on or kept. */
export function CopyLogs({ logs }: { logs: readonly Log[] | undefined }) {
  const [copying, setCopying] = useState(false);
  const copy = async (): Promise<void> => {
    setCopying(true);
    const shown = logs ?? [];
    if (await copyText(logText(shown))) notifyDone(`${plural(shown.length, 'entry is', 'entries are')} in the clipboard.`);
    else notifyFailed('The browser does not let this page use the clipboard. Allow it, or take the same by curl.');
    setCopying(false);
  };
  return (
    <Button
      variant="default"
      leftSection={<CopyIcon size={16} />}
      loading={copying}
      disabled={logs === undefined || logs.length === 0}
      onClick={() => void copy()}
    >
      Copy as text
    </Button>
  );
}
